import { isFinalRunState, LachesisError, RUN_ROLES } from '@lachesis/protocol';
import { readEventPage } from '@lachesis/store';
import { hash } from 'node:crypto';
import { summarizeRun } from '../../services/runs/describe-run.ts';
import { findTailOffset, readLogFrom } from '../../services/runs/read-log.ts';
import type { RunDeps } from '../routes/run-deps.ts';
import { lookBehind, nameEnds, trainerStep, type Look } from './metrics.ts';
import type { Ticks } from './ticks.ts';

/** What is told of a topic at one look. */
export interface Told {
  event: string;
  /** Where to go on behind it; null for a topic that begins anew. */
  at: number | null;
  data: Readonly<Record<string, unknown>>;
}

/** Something that is followed: each look gives what came since the one before. */
export interface Topic {
  readonly name: string;
  /** Whether who asks has waited for a tick before: then others are at the same place, and what is read is shared. */
  look(hasWaited: boolean): Promise<Told[]>;
}

export interface TopicDeps extends RunDeps {
  ticks: Ticks;
}

const LATEST_RUNS = 100;
const TAIL_LINES = 100;

/** Opens what a caller wants to follow; what cannot be followed is refused before the stream begins. */
export async function openTopic(deps: TopicDeps, tenantId: string, asked: string): Promise<Topic> {
  const [name = '', position, ...rest] = asked.split('@');
  const [kind, run = '', role, ...more] = name.split(':');
  const at = position === undefined ? undefined : Number(position);
  const isPosition = at === undefined || (Number.isSafeInteger(at) && at >= -1);
  if (!isPosition || rest.length > 0 || more.length > 0 || (role !== undefined && kind !== 'logs'))
    throw noTopic(asked);
  if (kind === 'runs') {
    if (name !== kind) throw noTopic(asked);
    return followRuns(deps, tenantId);
  }
  const found = { tenantId, ...(await findRun(deps, tenantId, run, asked)) };
  if (kind === 'metrics') return followMetrics(deps, { name, ...found, floor: at ?? -1 });
  if (kind === 'events') return followEvents(deps, { name, ...found, after: at ?? 0 });
  const log = RUN_ROLES.find((each) => each === role);
  if (kind !== 'logs' || log === undefined) throw noTopic(asked);
  return await followLog(deps, { name, ...found, role: log, offset: at });
}

async function findRun({ runs }: RunDeps, tenantId: string, shortId: string, asked: string) {
  if (shortId === '') throw noTopic(asked);
  const run = await runs.find(tenantId, shortId);
  return { shortId: run.shortId, runId: run.runId };
}

interface OfRun {
  name: string;
  tenantId: string;
  shortId: string;
  runId: string;
}

function followRuns({ runs, ticks }: TopicDeps, tenantId: string): Topic {
  const told = new Map<string, string>();
  const read = async () => {
    const { runs: newest } = await runs.list({ tenantId, limit: LATEST_RUNS });
    return newest.map((run) => {
      const summary = summarizeRun(run);
      // A mark and not the text: there may be hundreds of followers.
      return { summary, mark: hash('sha1', JSON.stringify(summary), 'base64') };
    });
  };
  return {
    name: 'runs',
    async look(hasWaited) {
      const newest = await (hasWaited ? ticks.share(`runs of ${tenantId}`, read) : read());
      const changed = newest.filter(({ summary, mark }) => told.get(summary.run_id) !== mark);
      for (const { summary, mark } of changed) told.set(summary.run_id, mark);
      return changed.length === 0
        ? []
        : [{ event: 'runs', at: null, data: { runs: changed.map(({ summary }) => summary) } }];
    },
  };
}

function followMetrics(deps: TopicDeps, { name, tenantId, shortId, runId, floor }: OfRun & { floor: number }): Topic {
  let ends: Look['ends'];
  let state: string | undefined;
  let hasEnded = false;
  return {
    name,
    async look(hasWaited) {
      const behind = ends;
      const read = (): Promise<Look> => lookBehind(deps, { tenantId, shortId, behind, floor });
      const place = behind === undefined ? `behind ${floor}` : nameEnds(behind);
      const {
        run,
        points,
        ends: now,
      } = await (hasWaited ? deps.ticks.share(`metrics ${runId} ${place}`, read) : read());
      ends = now;
      const at = trainerStep(ends, floor);
      const told: Told[] = points.length === 0 ? [] : [{ event: 'metrics', at, data: { points } }];
      if (state !== run.state)
        told.push({ event: 'status', at, data: { run_id: shortId, status: run.state, reason: run.reason } });
      state = run.state;
      // A run may be resumed: then it is followed on.
      if (isFinalRunState(run.state) && points.length === 0 && !hasEnded) told.push({ event: 'end', at, data: {} });
      hasEnded = isFinalRunState(run.state) && points.length === 0;
      return told;
    },
  };
}

function followEvents(
  { store, ticks }: TopicDeps,
  { name, tenantId, shortId, runId, after }: OfRun & { after: number },
): Topic {
  let at = after;
  return {
    name,
    async look(hasWaited) {
      const afterCursor = at;
      const read = () => readEventPage({ store, tenantId, runId, afterCursor });
      const rows = await (hasWaited ? ticks.share(`events ${runId} ${afterCursor}`, read) : read());
      if (rows.length === 0) return [];
      at = rows.at(-1)?.cursor ?? at;
      const events = rows.map(({ cursor, kind, at: when, data, hash }) => ({
        ...{ cursor, kind, at: when, data: JSON.parse(data) as unknown, hash },
      }));
      return [{ event: 'events', at, data: { run_id: shortId, events } }];
    },
  };
}

async function followLog(
  deps: TopicDeps,
  { name, tenantId, shortId, runId, role, offset }: OfRun & { role: string; offset: number | undefined },
): Promise<Topic> {
  const run = await deps.runs.find(tenantId, shortId);
  const path = (await deps.runs.processes(run)).find((process) => process.role === role)?.logPath;
  if (path === undefined) throw new LachesisError({ code: 'not-found', message: `run ${shortId} has no ${role} log` });
  let at = offset ?? (await findTailOffset(path, TAIL_LINES));
  return {
    name,
    async look(hasWaited) {
      const from = at;
      const read = () => readLogFrom(path, from, { isAll: false });
      const chunk = await (hasWaited ? deps.ticks.share(`log ${runId} ${path} ${from}`, read) : read());
      at = chunk.offset;
      return chunk.lines.length === 0 ? [] : [{ event: 'lines', at, data: { lines: chunk.lines } }];
    },
  };
}

const noTopic = (asked: string): LachesisError =>
  new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(asked.slice(0, 100))} cannot be followed`,
    hint: `There are runs, metrics:<run>, events:<run> and logs:<run>:<role> (${RUN_ROLES.join(', ')}), each with @<at> to go on.`,
  });
