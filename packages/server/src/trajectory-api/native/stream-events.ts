import { LachesisError } from '@lachesis/protocol';
import { readEventPage } from '@lachesis/store';
import type { FastifyReply } from 'fastify';
import type { RouteCall } from '../../http/route.ts';
import type { TrajectoryApiDeps } from '../deps.ts';

const PAGE = 500;
/** A reader that does not keep up is cut off and resumes with Last-Event-ID; it must not fill our memory. */
const MAX_UNSENT_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;
/** Other processes may commit to the run too. */
const LOOK_AGAIN_MS = 1_000;

/** Sends the run's events in order, each with its cursor as id, and goes on with new ones. */
export async function streamEvents(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  query: { after?: string | undefined; follow?: string | undefined },
): Promise<FastifyReply> {
  const { request, reply, principal } = call;
  const run = deps.runs.open(principal.tenantId, call.runName);
  const runId = await run.queue.read((state) => state.runId);
  let cursor = readCursor(request.headers['last-event-id'] ?? query.after ?? '0');

  reply.hijack();
  const { raw } = reply;
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
  let saidAt = deps.monotonic();
  while (!gone.signal.aborted) {
    const rows = await readEventPage({
      store: deps.store,
      tenantId: principal.tenantId,
      runId,
      afterCursor: cursor,
      limit: PAGE,
    });
    for (const row of rows) {
      const data = JSON.stringify({
        cursor: row.cursor,
        kind: row.kind,
        at: row.at,
        data: JSON.parse(row.data),
        hash: row.hash,
      });
      raw.write(`id: ${row.cursor}\nevent: ${row.kind}\ndata: ${data}\n\n`);
      cursor = row.cursor;
    }
    if (raw.writableLength > MAX_UNSENT_BYTES && !(await isDrained(raw, gone.signal))) break;
    if (rows.length > 0) saidAt = deps.monotonic();
    if (rows.length === PAGE) continue;
    if (query.follow === '0') break;
    await run.waiters.wait(LOOK_AGAIN_MS, gone.signal);
    if (deps.monotonic() - saidAt > KEEP_ALIVE_MS) {
      raw.write(': still here\n\n');
      saidAt = deps.monotonic();
    }
  }
  raw.end();
  return reply;
}

function readCursor(text: string | string[]): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new LachesisError({ code: 'invalid', message: 'the cursor to continue after is not a whole number' });
}

/** Gives a slow reader a moment to take what is written. */
async function isDrained(raw: RouteCall['reply']['raw'], signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return new Promise((resolve) => {
    const settle = (value: boolean): void => {
      clearTimeout(timer);
      raw.off('drain', onDrain);
      raw.off('close', onClose);
      resolve(value);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    const timer = setTimeout(() => settle(false), KEEP_ALIVE_MS);
    raw.once('drain', onDrain);
    raw.once('close', onClose);
  });
}
