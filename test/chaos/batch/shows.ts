import type { Show } from '../../shows/show.ts';
import { batchMutantsShow, batchShow } from './batch-shows.ts';
import { compressShow } from './compress-shows.ts';

/** `pnpm chaos batch`: kill -9 of what works in bulk. */
export const shows: Show[] = [batchShow, batchMutantsShow, compressShow];
