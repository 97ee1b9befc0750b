import { isFinalRunState, realClock, type Clock, type WhyReply } from '@lachesis/protocol';
import { ClientError, type ControlClient } from '@lachesis/sdk';
import { toSeries, VIEW_SERIES, type RunView } from './run-view.ts';

export interface WatchRunOptions {
  client: Pick<ControlClient, 'readRun' | 'readMetrics' | 'explainRun'>;
  runId: string;
  /** How many points of each series are wanted: as many as fit on the screen. */
  points: number;
  signal: AbortSignal;
  clock?: Clock;
  everyMs?: number;
}

const EVERY_MS = 1_000;
/** How long nothing may move before somebody wants to know why. */
const STILL_MS = 30_000;
const ASK_WHY_EVERY_MS = 10_000;

/**
 * A view of the run every second, until it has ended or the signal ends it. A server that goes away is waited for: the
 * views until then say for how long. What it refuses is thrown.
 */
export async function* watchRun(options: WatchRunOptions): AsyncGenerator<RunView> {
  const { client, runId, points, signal, clock = realClock, everyMs = EVERY_MS } = options;
  const query = { series: VIEW_SERIES.join(','), limit: points };
  let view: RunView | undefined;
  let movedAt = clock.now();
  let askedAt = -Infinity;
  let answeredAt = clock.now();
  while (!signal.aborted) {
    try {
      const status = await client.readRun(runId, { signal });
      const hasMoved = view?.status.metrics.step !== status.metrics.step || view.status.status !== status.status;
      // Read again at the end: points may be written after the step that was seen last.
      const series: RunView['series'] =
        view === undefined || hasMoved
          ? toSeries((await client.readMetrics(runId, query, { signal })).history)
          : view.series;
      if (hasMoved) movedAt = clock.now();
      let why: WhyReply | undefined = hasMoved ? undefined : view?.why;
      const isStill = clock.now() - movedAt >= STILL_MS && !isFinalRunState(status.status);
      if (isStill && clock.now() - askedAt >= ASK_WHY_EVERY_MS) {
        askedAt = clock.now();
        why = await client.explainRun(runId, { signal });
      }
      answeredAt = clock.now();
      view = { status, series, why };
    } catch (error) {
      if (signal.aborted) return;
      // Without one view it is not known whether there is such a run at all.
      if (!ClientError.isInstance(error) || !error.retryable || view === undefined) throw error;
      view = { ...view, awayMs: clock.now() - answeredAt };
    }
    yield view;
    if (view.awayMs === undefined && isFinalRunState(view.status.status)) return;
    await clock.sleep(everyMs, signal);
  }
}
