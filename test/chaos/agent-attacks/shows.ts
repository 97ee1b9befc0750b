import type { Show } from '../../shows/show.ts';
import { attackShow } from './shows/attacks.ts';
import { mutantShow } from './shows/mutants.ts';

/** `pnpm chaos agent-attacks`: an agent that wants code, files, addresses and keys that are not its own. */
export const shows: Show[] = [attackShow, mutantShow];
