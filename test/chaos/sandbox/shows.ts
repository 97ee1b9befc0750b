import type { Show } from '../../shows/show.ts';
import { escapeShow } from './shows/escapes.ts';
import { fileShow } from './shows/file-functions.ts';
import { limitShow } from './shows/limits.ts';
import { mutantShow } from './shows/mutants.ts';
import { startShow } from './shows/start.ts';

/** `pnpm chaos sandbox`: code that wants out, or wants more than its share, in the sandbox that holds model code. */
export const shows: Show[] = [escapeShow, fileShow, limitShow, mutantShow, startShow];
