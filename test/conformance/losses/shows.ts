import type { Show } from '../../shows/show.ts';
import { advantagesShow } from './shows/advantages.ts';
import { lossesShow } from './shows/losses.ts';

/** `pnpm conformance losses`: the numbers that training follows, beside the papers' formulas in numpy. */
export const shows: Show[] = [lossesShow, advantagesShow];
