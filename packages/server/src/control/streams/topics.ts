import { isFinalRunState, LachesisError, RUN_ROLES, type RunState } from '@lachesis/protocol';
import { readEventPage } from '@lachesis/store';
import { hash } from 'node:crypto';
import { summarizeRun } from '../../services/runs/describe-run.ts';
import { findTailOffset, readLogFrom } from '../../services/runs/read-log.ts';
import type { RunDeps } from '../routes/run-deps.ts';
import { encodeEvents } from '../../http/stream-events.ts';
import { lookBehind, nameEnds, trainerStep, type Ends } from './metrics.ts';
import type { Ticks } from './ticks.ts';

/**
 * Where somebody who follows a topic stands, and what can be found from there. Places with one key are equal: what a look from
 * one of them found is true for all who stand there, to the byte, so that it is read and written once.
 */
export interface Place {
  readonly key: string;
  look(this: void): Promise<Look>;
}

interface Look {
  /** What came since, as it is sent; undefined when nothing did. */
  readonly events: Buffer | undefined;
  /** Where who was told it stands now. */
  readonly next: Place;
}

interface Told {
  event: string;
  /** Where to go on behind it; null for a topic that begins anew. */
  at: number | null;
  data: Readonly<Record<string, unknown>>;
}

const encode = (topic: string, told: readonly Told[]): Buffer | undefined =>
  told.length === 0
    ? undefined
    : encodeEvents(
        told.map(({ event, at, data }) => ({
          ...(at === null ? {} : { id: `${topic}@${at}` }),
          event,
          data: { topic, at, ...data },
        })),
      );

export interface TopicDeps extends RunDeps {
  ticks: Ticks;
}

const LATEST_RUNS = 100;
const TAIL_LINES = 100;

/** Opens what a caller wants to follow; what cannot be followed is refused before the stream begins. */
export async function openTopic(deps: TopicDeps, tenantId: string, asked: string): Promise<Place> {
  const [name = '', position, ...rest] = asked.split('@');
  const [kind, run = '', role, ...more] = name.split(':');
  const at = position === undefined ? undefined : Number(position);
  const isPosition = at === undefined || (Number.isSafeInteger(at) && at >= -1);
  if (!isPosition || rest.length > 0 || more.length > 0 || (role !== undefined && kind !== 'logs'))
    throw noTopic(asked);
  if (kind === 'runs') {
    if (name !== kind) throw noTopic(asked);
    return runsPlace(deps, tenantId, new Map());
  }
  const found = { tenantId, ...(await findRun(deps, tenantId, run, asked)) };
  if (kind === 'metrics') return metricsPlace(deps, { name, ...found }, { at: at ?? -1, hasEnded: false });
  if (kind === 'events') return eventsPlace(deps, { name, ...found }, at ?? 0);
  const log = RUN_ROLES.find((each) => each === role);
  if (kind !== 'logs' || log === undefined) throw noTopic(asked);
  return await openLog(deps, { name, ...found, role: log, offset: at });
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

/** `told`: a mark of each run as it was told. */
function runsPlace(deps: TopicDeps, tenantId: string, told: ReadonlyMap<string, string>): Place {
  const place: Place = {
    key: `runs ${tenantId} ${mark([...told].flat().join(' '))}`,
    async look() {
      const { runs } = await deps.runs.list({ tenantId, limit: LATEST_RUNS });
      const newest = runs.map(summarizeRun);
      const now = new Map(newest.map((summary) => [summary.run_id, mark(JSON.stringify(summary))]));
      const changed = newest.filter(({ run_id: id }) => told.get(id) !== now.get(id));
      if (changed.length === 0) return { events: undefined, next: place };
      const events = encode('runs', [{ event: 'runs', at: null, data: { runs: changed } }]);
      return { events, next: runsPlace(deps, tenantId, now) };
    },
  };
  return place;
}

/** A mark and not the text: it is kept for as long as anybody follows. */
const mark = (text: string): string => hash('sha1', text, 'base64');

interface InMetrics {
  /** The step of the trainer that was told, or from which on it was asked for. */
  at: number;
  ends?: Ends | undefined;
  state?: RunState | undefined;
  hasEnded: boolean;
}

function metricsPlace(deps: TopicDeps, of: OfRun, told: InMetrics): Place {
  const { name, tenantId, shortId, runId } = of;
  const ends = told.ends === undefined ? 'nothing' : nameEnds(told.ends);
  const place: Place = {
    key: `${name} ${runId} ${told.at} ${told.state} ${told.hasEnded} ${ends}`,
    async look() {
      const found = await lookBehind(deps, { tenantId, shortId, behind: told.ends, floor: told.at });
      const { run, points } = found;
      const at = trainerStep(found.ends, told.at);
      const all: Told[] = points.length === 0 ? [] : [{ event: 'metrics', at, data: { points } }];
      if (told.state !== run.state)
        all.push({ event: 'status', at, data: { run_id: shortId, status: run.state, reason: run.reason } });
      // A run may be resumed: then it is followed on.
      const hasEnded = isFinalRunState(run.state) && points.length === 0;
      if (hasEnded && !told.hasEnded) all.push({ event: 'end', at, data: {} });
      const isAsBefore = all.length === 0 && hasEnded === told.hasEnded;
      const next = isAsBefore ? place : metricsPlace(deps, of, { at, ends: found.ends, state: run.state, hasEnded });
      return { events: encode(name, all), next };
    },
  };
  return place;
}

function eventsPlace(deps: TopicDeps, of: OfRun, afterCursor: number): Place {
  const { name, tenantId, shortId, runId } = of;
  const place: Place = {
    key: `${name} ${runId} ${afterCursor}`,
    async look() {
      const rows = await readEventPage({ store: deps.store, tenantId, runId, afterCursor });
      const at = rows.at(-1)?.cursor;
      if (at === undefined) return { events: undefined, next: place };
      const events = rows.map(({ cursor, kind, at: when, data, hash: link }) => ({
        ...{ cursor, kind, at: when, data: JSON.parse(data) as unknown, hash: link },
      }));
      const told = { event: 'events', at, data: { run_id: shortId, events } };
      return { events: encode(name, [told]), next: eventsPlace(deps, of, at) };
    },
  };
  return place;
}

async function openLog(
  deps: TopicDeps,
  { name, tenantId, shortId, role, offset }: OfRun & { role: string; offset: number | undefined },
): Promise<Place> {
  const run = await deps.runs.find(tenantId, shortId);
  const path = (await deps.runs.processes(run)).find((process) => process.role === role)?.logPath;
  if (path === undefined) throw new LachesisError({ code: 'not-found', message: `run ${shortId} has no ${role} log` });
  return logPlace(name, path, offset ?? (await findTailOffset(path, TAIL_LINES)));
}

function logPlace(name: string, path: string, from: number): Place {
  const place: Place = {
    key: `${name} ${path} ${from}`,
    async look() {
      const { lines, offset } = await readLogFrom(path, from, { isAll: false });
      const told = lines.length === 0 ? [] : [{ event: 'lines', at: offset, data: { lines } }];
      return { events: encode(name, told), next: offset === from ? place : logPlace(name, path, offset) };
    },
  };
  return place;
}

const noTopic = (asked: string): LachesisError =>
  new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(asked.slice(0, 100))} cannot be followed`,
    hint: `There are runs, metrics:<run>, events:<run> and logs:<run>:<role> (${RUN_ROLES.join(', ')}), each with @<at> to go on.`,
  });
