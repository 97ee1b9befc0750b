import { LachesisError } from '@lachesis/protocol';
import { readEventPage } from '@lachesis/store';
import type { FastifyReply } from 'fastify';
import type { RouteCall } from '../../http/route.ts';
import { streamEvents, type EventStream } from '../../http/stream-events.ts';
import type { TrajectoryApiDeps } from '../deps.ts';

const PAGE = 500;
/** Other processes may commit to the run too. */
const LOOK_AGAIN_MS = 1_000;

/** Sends the run's events in order, each with its cursor as id, and goes on with new ones. */
export async function streamRun(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  query: { after?: string | undefined; follow?: string | undefined },
): Promise<FastifyReply> {
  const { tenantId } = call.principal;
  const run = deps.runs.open(tenantId, call.runName);
  const { runId } = await deps.ask(call, 'ids', {});
  let cursor = readCursor(call.request.headers['last-event-id'] ?? query.after ?? '0');

  const follow = async (stream: EventStream): Promise<void> => {
    while (!stream.signal.aborted) {
      const rows = await readEventPage({ store: deps.store, tenantId, runId, afterCursor: cursor, limit: PAGE });
      for (const { kind, at, data, hash, cursor: id } of rows) {
        await stream.send({ id, event: kind, data: { cursor: id, kind, at, data: JSON.parse(data), hash } });
        cursor = id;
      }
      if (rows.length === PAGE) continue;
      if (query.follow === '0') return;
      await stream.pause();
    }
  };
  const wait = (signal: AbortSignal): Promise<void> => run.waiters.wait(LOOK_AGAIN_MS, signal);
  return await streamEvents(call, { monotonic: deps.monotonic, wait, follow });
}

function readCursor(text: string | string[]): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new LachesisError({ code: 'invalid', message: 'the cursor to continue after is not a whole number' });
}
