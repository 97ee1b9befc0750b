import type { Show } from '../../shows/show.ts';
import { killShow } from './shows/kills.ts';
import { mutantShow } from './shows/mutants.ts';
import { stormShow } from './shows/storm.ts';

/** `pnpm chaos tinker`: the client between a program that trains and servers that cannot be reached as they should. */
export const shows: Show[] = [stormShow, killShow, mutantShow];
