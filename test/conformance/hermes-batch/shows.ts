import type { Show } from '../../shows/show.ts';
import { batchShow } from './batch-shows.ts';
import { compressShow } from './compress-shows.ts';

/** `pnpm conformance hermes-batch`: the real hermes-agent 0.19.0 and ours, in bulk. */
export const shows: Show[] = [batchShow, compressShow];
