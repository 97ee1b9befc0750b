import type { Show } from '../../shows/show.ts';
import { backendShow } from './shows/backends.ts';
import { diffShow } from './shows/diff.ts';
import { escapeShow } from './shows/escapes.ts';
import { fileShow } from './shows/file-functions.ts';
import { raceShow } from './shows/grading-race.ts';
import { limitShow } from './shows/limits.ts';
import { mutantShow } from './shows/mutants.ts';
import { ordinaryShow } from './shows/ordinary-user.ts';
import { programShow } from './shows/programs.ts';
import { startShow } from './shows/start.ts';

/** `pnpm chaos sandbox`: code that wants out, or wants more than its share, in the sandboxes that hold model code. */
export const shows: Show[] = [
  escapeShow,
  ordinaryShow,
  fileShow,
  limitShow,
  mutantShow,
  backendShow,
  raceShow,
  diffShow,
  programShow,
  startShow,
];
