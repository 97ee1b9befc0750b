import type { Show } from '../../shows/show.ts';
import { memoryShow } from './shows/memory.ts';
import { estimateShow, rowsShow } from './shows/rows.ts';

/** `pnpm bench compress`: rows a second beside Hermes, and memory. */
export const shows: Show[] = [rowsShow, estimateShow, memoryShow];
