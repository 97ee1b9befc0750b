import type { RunProcessState, RunState } from '@lachesis/protocol';
import type { Paint } from '../terminal/paint.ts';

const COLOURS: Readonly<Record<RunState | RunProcessState, keyof Paint>> = Object.freeze({
  pending: 'dim',
  waiting: 'dim',
  starting: 'yellow',
  running: 'green',
  stopping: 'yellow',
  stopped: 'dim',
  ended: 'dim',
  completed: 'cyan',
  failed: 'red',
  dead: 'red',
});

/** A state in its colour. `text` stands in its place where columns have to be filled. */
export const paintState = (paint: Paint, state: RunState | RunProcessState, text: string = state): string =>
  paint[COLOURS[state]](text);
