import type { Show } from '../../shows/show.ts';
import { redactionShow } from './shows/redaction.ts';

/** `pnpm conformance privacy`: what is taken out of records before they are kept. */
export const shows: Show[] = [redactionShow];
