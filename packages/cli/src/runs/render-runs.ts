import type { RunSummary } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import { formatAge } from '../terminal/format-duration.ts';
import { cutText, fitText, textWidth } from '../terminal/text-width.ts';
import { formatDuration } from '../terminal/format-duration.ts';
import type { RenderRunOptions } from './render-run.ts';
import { paintState } from './paint-state.ts';

const SHORTEST_ID = 8;
const LONGEST_ID = 28;
const KIND = 7;
const STATE = 9;
const AGE = 4;
const TOOK = 12;
const SHORTEST_WHY = 8;

/** Runs as a table, one a line. */
export function renderRuns(runs: readonly RunSummary[], { paint, columns, now }: RenderRunOptions): string {
  if (runs.length === 0) return '';
  const ids = runs.map((run) => textWidth(cleanLine(run.run_id)));
  const id = Math.min(LONGEST_ID, Math.max(SHORTEST_ID, ...ids));
  const fixed = id + 2 + KIND + 2 + STATE + 2 + AGE + 2 + TOOK + 2;
  const longest = Math.max(11, ...runs.map((run) => textWidth(cleanLine(run.environment))));
  const environment = Math.max(1, Math.min(24, longest, columns - fixed));
  // Where it would be a few letters only, it is left out.
  const room = columns - fixed - environment - 2;
  const rest = room < SHORTEST_WHY ? 0 : room;
  const head = [
    ...[fitText('run', id), fitText('kind', KIND), fitText('state', STATE), 'age'.padStart(AGE), 'took'.padStart(TOOK)],
    ...[fitText('environment', environment), ...(rest === 0 ? [] : ['why'])],
  ].join('  ');
  const lines = runs.map((run) => {
    const took = run.started_at === null ? '-' : formatDuration(((run.ended_at ?? now) - run.started_at) / 1_000);
    const why = cutText(cleanLine(run.reason ?? run.wandb_run_name ?? ''), rest);
    return [
      paint.cyan(fitText(cleanLine(run.run_id), id)),
      fitText(run.kind ?? 'rl', KIND),
      paintState(paint, run.status, run.status.padEnd(STATE)),
      formatAge(now - run.created_at).padStart(AGE),
      took.padStart(TOOK),
      fitText(cleanLine(run.environment), environment),
      ...(rest === 0 ? [] : [run.status === 'failed' ? paint.red(why) : paint.dim(why)]),
    ].join('  ');
  });
  return `${paint.dim(head)}\n${lines.join('\n')}\n`;
}
