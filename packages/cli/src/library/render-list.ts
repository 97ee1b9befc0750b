import { formatAge } from '../terminal/format-duration.ts';
import type { TrajectorySummary } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import type { Paint } from '../terminal/paint.ts';
import { cutText, fitText } from '../terminal/text-width.ts';

export interface RenderListOptions {
  paint: Paint;
  columns: number;
  now: number;
}

const ID = 36;
const TOOK = 5;
const SHORTEST_TITLE = 12;

/** Trajectories as a table, one a line; the title gets what is left. */
export function renderList(
  trajectories: readonly TrajectorySummary[],
  { paint, columns, now }: RenderListOptions,
): string {
  if (trajectories.length === 0) return '';
  const model = Math.min(20, Math.max(5, ...trajectories.map((each) => cleanLine(each.model ?? '').length)));
  const fixed = ID + 2 + 4 + 2 + TOOK + 2 + 5 + 2 + 6 + 2 + 6 + 2 + model + 2;
  const title = Math.max(SHORTEST_TITLE, columns - fixed);
  const head = `${fitText('id', ID)}  age   took   turns  reward  rating  ${fitText('model', model)}  task`;
  const lines = trajectories.map((each) => {
    const name = each.error_count > 0 ? paint.red('✗ ') : each.missing_records > 0 ? paint.yellow('! ') : '';
    return [
      paint.cyan(fitText(each.trajectory_id, ID)),
      formatAge(now - each.updated_at).padStart(4),
      formatTook(each).padStart(TOOK),
      String(each.turn_count).padStart(5),
      formatNumber(each.reward).padStart(6),
      formatRating(each.rating, paint),
      fitText(cleanLine(each.model ?? '-'), model),
      name + cutText(cleanLine(each.title), title - (name === '' ? 0 : 2)),
    ].join('  ');
  });
  return `${paint.dim(head)}\n${lines.join('\n')}\n`;
}

/** From its first moment to its last; rows that came as a whole have only one. */
function formatTook({ started_at: from, updated_at: last, ended_at: ended }: TrajectorySummary): string {
  const ms = (ended ?? last) - from;
  if (ms <= 0) return '-';
  return ms < 1_000 ? `${ms}ms` : formatAge(ms);
}

const formatNumber = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

function formatRating(rating: number | null, paint: Paint): string {
  const text = formatNumber(rating).padStart(6);
  if (rating === null) return text;
  return rating >= 0.5 ? paint.green(text) : paint.red(text);
}
