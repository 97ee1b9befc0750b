import type { Show } from '../../shows/show.ts';
import { helpShow } from './shows/help.ts';
import { runsShow } from './shows/runs.ts';

/** `pnpm bench cli`. */
export const shows: Show[] = [helpShow, runsShow];
