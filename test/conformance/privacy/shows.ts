import type { Show } from '../../shows/show.ts';
import { redactionShow } from './shows/redaction.ts';
import { waysInShow } from './shows/ways-in.ts';

/** `pnpm conformance privacy`: what is taken out of records before they are kept. */
export const shows: Show[] = [redactionShow, waysInShow];
