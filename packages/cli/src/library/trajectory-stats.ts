import type { TrajectoryDetail, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import { cleanLine } from '../terminal/clean-text.ts';
import { formatMs } from '../terminal/format-duration.ts';
import type { Paint } from '../terminal/paint.ts';
import { fitText } from '../terminal/text-width.ts';

/** What calls can be put together by. */
export const STATS_GROUPS = ['model', 'user', 'key', 'run', 'day'] as const;
export type StatsGroup = (typeof STATS_GROUPS)[number];

/** A sum of what is known, and how many calls did not tell. */
interface Known {
  sum: number | null;
  unknown: number;
}

/** The calls of one model, user, key, run or day. */
export interface StatsRow {
  group: string;
  trajectories: number;
  calls: number;
  failed: number;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** Calls of which nobody counted the tokens, such as streams without usage. */
  calls_without_tokens: number;
  /** US dollars; null where the price of no call is known. */
  cost: number | null;
  calls_without_cost: number;
  latency_ms_median: number | null;
  latency_ms_p95: number | null;
  first_token_ms_median: number | null;
  /** Time in which a call was under way; waits between calls do not count. */
  active_ms: number;
}

interface Call {
  group: string;
  trajectoryId: string;
  turn: TrajectoryTurn;
}

/** Calls by group, the one with the most first; days from the newest. */
export function computeStats(details: readonly TrajectoryDetail[], by: StatsGroup): StatsRow[] {
  const calls = details.flatMap(({ summary, turns }) =>
    turns
      .filter(({ kind }) => kind === 'call')
      .map((turn): Call => ({ group: nameGroup(summary, turn, by), trajectoryId: summary.trajectory_id, turn })),
  );
  const rows = [...Map.groupBy(calls, ({ group }) => group)].map(([group, of]) => toRow(group, of));
  return rows.toSorted((left, right) =>
    by === 'day' ? right.group.localeCompare(left.group) : right.calls - left.calls,
  );
}

function nameGroup(summary: TrajectorySummary, turn: TrajectoryTurn, by: StatsGroup): string {
  if (by === 'day') return new Date(turn.started_at).toISOString().slice(0, 10);
  const name = by === 'model' ? (turn.model ?? summary.model) : by === 'run' ? summary.run_id : summary[by];
  return name ?? `without a ${by}`;
}

function toRow(group: string, calls: readonly Call[]): StatsRow {
  const turns = calls.map(({ turn }) => turn);
  const took = (turn: TrajectoryTurn): number => Math.max(0, turn.ended_at - turn.started_at);
  const done = turns.filter(({ error }) => error === null);
  const prompt = add(turns.map(({ usage }) => usage?.prompt_tokens));
  const completion = add(turns.map((turn) => turn.usage?.completion_tokens ?? countIds(turn)));
  const cost = add(turns.map(({ cost: each }) => each ?? undefined));
  const firsts = done.flatMap(({ first_token_at: first, started_at: start }) =>
    first === null ? [] : [first - start],
  );
  return {
    group,
    trajectories: new Set(calls.map(({ trajectoryId }) => trajectoryId)).size,
    calls: turns.length,
    failed: turns.length - done.length,
    prompt_tokens: prompt.sum,
    completion_tokens: completion.sum,
    calls_without_tokens: completion.unknown,
    cost: cost.sum,
    calls_without_cost: cost.unknown,
    latency_ms_median: findQuantile(done.map(took), 0.5),
    latency_ms_p95: findQuantile(done.map(took), 0.95),
    first_token_ms_median: findQuantile(firsts, 0.5),
    active_ms: turns.reduce((sum, turn) => sum + took(turn), 0),
  };
}

const countIds = ({ replies }: TrajectoryTurn): number | undefined =>
  add(replies.map(({ tokens }) => tokens?.token_ids.length)).sum ?? undefined;

function add(values: readonly (number | undefined)[]): Known {
  const known = values.filter((value) => value !== undefined);
  return {
    sum: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0),
    unknown: values.length - known.length,
  };
}

function findQuantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const HEADS = ['calls', 'failed', 'tok in', 'tok out', 'cost', 'median', 'p95', 'active'];
const WIDTHS = [5, 6, 8, 8, 8, 7, 7, 9];
const SHORTEST_GROUP = 10;

/** A table of at most 80 columns; what nobody counted is `unknown`, and a sum with calls left out has a `+`. */
export function renderStats(
  rows: readonly StatsRow[],
  { by, paint, columns }: { by: StatsGroup; paint: Paint; columns: number },
): string {
  const fixed = WIDTHS.reduce((sum, width) => sum + width + 1, 0);
  const longest = Math.max(by.length, ...rows.map(({ group }) => cleanLine(group).length));
  const width = Math.max(SHORTEST_GROUP, Math.min(longest, Math.min(columns, 100) - fixed));
  const toLine = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 0)).join(' ');
  const lines = rows.map((row) => `${paint.cyan(fitText(cleanLine(row.group), width))} ${toLine(describe(row))}`);
  const left = rows.some((row) => row.calls_without_tokens > 0 || row.calls_without_cost > 0);
  return [
    paint.dim(`${fitText(by, width)} ${toLine(HEADS)}`),
    ...lines,
    ...(left ? [paint.dim('unknown: the server did not say; + means that some calls of the sum did not')] : []),
    '',
  ].join('\n');
}

function describe(row: StatsRow): string[] {
  const tokens = (sum: number | null): string => mark(sum === null ? null : String(sum), row.calls_without_tokens);
  return [
    String(row.calls),
    String(row.failed),
    tokens(row.prompt_tokens),
    tokens(row.completion_tokens),
    mark(row.cost === null ? null : `$${row.cost.toPrecision(3)}`, row.calls_without_cost),
    row.latency_ms_median === null ? '-' : formatMs(row.latency_ms_median),
    row.latency_ms_p95 === null ? '-' : formatMs(row.latency_ms_p95),
    formatMs(row.active_ms),
  ];
}

const mark = (text: string | null, unknown: number): string =>
  text === null ? 'unknown' : `${text}${unknown > 0 ? '+' : ''}`;
