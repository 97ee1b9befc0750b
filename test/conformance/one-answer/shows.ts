import type { Show } from '../../shows/show.ts';
import { createPairsShow } from './pairs.ts';

/** `pnpm conformance one-answer`: a command gives the same answer on a local home and through a server over it. */
export const shows: Show[] = [createPairsShow('sqlite'), createPairsShow('postgres')];
