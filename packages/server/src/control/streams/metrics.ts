import type { z } from 'zod';
import { type metricsEventSchema, isFinalRunState, LachesisError, type StatusEvent } from '@lachesis/protocol';
import { listMetricRows, readMetricEnds, type MetricPoint, type TrainingRun } from '@lachesis/store';
import type { FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import type { RouteCall } from '../../http/route.ts';
import { findLoopRun, STEP_SERIES } from '../../services/runs/describe-run.ts';
import { streamEvents, type EventStream } from '../../http/stream-events.ts';
import type { RunDeps } from '../routes/run-deps.ts';
import type { Ticks } from './ticks.ts';

type MetricsEvent = z.infer<typeof metricsEventSchema>;

/**
 * New points and changes of state as they come. Trainer and environment write on their own, one a step ahead of the other
 * and evaluations late, so each series is followed by itself. The id of an event is the step of the trainer: who comes back
 * with it may be told points of the environment again, which are the same by series, step and moment.
 */
export async function streamMetrics(
  deps: RunDeps & { ticks: Ticks },
  call: RouteCall,
  id: string,
): Promise<FastifyReply> {
  const { request, principal } = call;
  const { runId, shortId } = await deps.runs.find(principal.tenantId, id);
  const floor = readStep(request.headers['last-event-id']);
  let told: string | undefined;
  let ends: Ends | undefined;

  const follow = async (stream: EventStream): Promise<void> => {
    let hasWaited = false;
    while (!stream.signal.aborted) {
      const behind = ends;
      const look = (): Promise<Look> => lookBehind(deps, { tenantId: principal.tenantId, shortId, behind, floor });
      // Who has waited is where the others are; who catches up reads alone, and what it read is not kept.
      const place = behind === undefined ? `behind ${floor}` : nameEnds(behind);
      const found = await (hasWaited ? deps.ticks.share(`metrics ${runId} ${place}`, look) : look());
      const { run, points } = found;
      ends = found.ends;
      if (points.length > 0) {
        const data: MetricsEvent = { points: points.map((point) => ({ ...point })) };
        await stream.send({ id: trainerStep(ends, floor), event: 'metrics', data });
      }
      if (told !== run.state) {
        told = run.state;
        const status: StatusEvent = { run_id: run.shortId, status: run.state, reason: run.reason };
        await stream.send({ event: 'status', data: status });
      }
      if (points.length > 0) continue;
      if (isFinalRunState(run.state)) return await stream.send({ event: 'end', data: {} });
      await stream.pause();
      hasWaited = true;
    }
  };
  return await streamEvents(call, { monotonic: deps.monotonic, wait: deps.ticks.next, follow });
}

/** How far each series was told. */
export type Ends = ReadonlyMap<string, number>;

export interface Look {
  run: TrainingRun;
  points: MetricPoint[];
  /** Undefined while the run has nothing to tell. */
  ends: Ends | undefined;
}

const names = new WeakMap<Ends, string>();

/** Equal for equal ends. Followers who were told the same have the very same ends, and hundreds of them ask. */
export function nameEnds(ends: Ends): string {
  const known = names.get(ends);
  if (known !== undefined) return known;
  const places = [...ends].map(([series, step]) => `${series} ${step}`).toSorted();
  const name = hash('sha1', places.join('\n'), 'base64');
  names.set(ends, name);
  return name;
}

export function trainerStep(ends: Ends | undefined, floor: number): number {
  const steps = [...STEP_SERIES].flatMap((series) => ends?.get(series) ?? []);
  return steps.length === 0 ? floor : Math.max(floor, Math.max(...steps));
}

/** What came since the last look; without one, everything behind the floor. */
export async function lookBehind(
  { store, runs }: RunDeps,
  options: {
    tenantId: string;
    shortId: string;
    /** As the last look left it; undefined for the first. */
    behind: Ends | undefined;
    /** Where the first look begins. */
    floor: number;
  },
): Promise<Look> {
  const { behind } = options;
  // A series that was not there at the last look is new from its first point on.
  const afterOf = (series: string): number => (behind === undefined ? options.floor : (behind.get(series) ?? -1));
  // Asked before the points: those of the last step are then told before the end.
  const run = await runs.find(options.tenantId, options.shortId);
  const loop = await findLoopRun({ store, run });
  if (loop === undefined) return { run, points: [], ends: behind };
  const scope = { store, tenantId: loop.tenantId, runId: loop.runId };
  const found = await readMetricEnds(scope);
  const ends = new Map(found.map(({ series, step }) => [series, step]));
  // Series that stand at the same step are read together: most of the time these are the trainer's and the environment's.
  const open = Map.groupBy(
    found.filter(({ series, step }) => step > afterOf(series)),
    ({ series }) => afterOf(series),
  );
  const points: MetricPoint[] = [];
  for (const [afterStep, series] of open) {
    const rows = await listMetricRows({ ...scope, series: series.map((end) => end.series), afterStep });
    const last = rows.at(-1)?.step ?? afterStep;
    // Of a long history a part is given at a time.
    for (const end of series) ends.set(end.series, Math.min(end.step, last));
    points.push(...rows.filter(({ series: name, step }) => step <= (ends.get(name) ?? last)));
  }
  return { run, points: points.toSorted((a, b) => a.step - b.step || a.at - b.at), ends };
}

function readStep(text: string | string[] | undefined): number {
  const value = Number(text ?? -1);
  if (Number.isSafeInteger(value)) return value;
  throw new LachesisError({ code: 'invalid', message: 'Last-Event-ID of metrics is the step that was sent as id' });
}
