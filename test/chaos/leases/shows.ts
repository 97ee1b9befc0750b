import type { Show } from '../../shows/show.ts';
import { holdersShow } from './shows/holders.ts';
import { mutantsShow, oneNameShow } from './shows/one-name.ts';

/** `pnpm chaos leases`: who lost a lease writes nothing. */
export const shows: Show[] = [holdersShow, oneNameShow, mutantsShow];
