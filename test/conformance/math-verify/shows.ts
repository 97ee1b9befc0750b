import type { Show } from '../../shows/show.ts';
import { agreementShow } from './shows/agreement.ts';
import { mutantsShow } from './shows/mutants.ts';

/** `pnpm conformance math-verify`: graded as the real math_verify grades. */
export const shows: Show[] = [agreementShow, mutantsShow];
