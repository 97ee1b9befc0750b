import type { z } from 'zod';
import { type logEventSchema, isFinalRunState, LachesisError, RUN_ROLES } from '@lachesis/protocol';
import type { FastifyReply } from 'fastify';
import type { RouteCall } from '../../http/route.ts';
import { streamEvents, type EventStream } from '../../http/stream-events.ts';
import { findTailOffset, readLogFrom, type LogChunk } from '../../services/runs/read-log.ts';
import type { RunDeps } from '../routes/run-deps.ts';
import type { Ticks } from './ticks.ts';

type LogEvent = z.infer<typeof logEventSchema>;

const DEFAULT_TAIL = 100;

/** The lines of one process's log as they come. The id of each event is the byte behind its last line. */
export async function streamLogs(
  deps: RunDeps & { ticks: Ticks },
  call: RouteCall,
  asked: { id: string; role: string; tail?: number | undefined; follow?: boolean | undefined },
): Promise<FastifyReply> {
  const { request, principal } = call;
  const { id: shortId, tail = DEFAULT_TAIL, follow = true } = asked;
  const role = RUN_ROLES.find((known) => known === asked.role);
  if (role === undefined) {
    throw new LachesisError({ code: 'not-found', message: `a run has logs of ${RUN_ROLES.join(', ')} and no others` });
  }
  const run = await deps.runs.find(principal.tenantId, shortId);
  const path = (await deps.runs.processes(run)).find((process) => process.role === role)?.logPath;
  if (path === undefined) throw new LachesisError({ code: 'not-found', message: `run ${shortId} has no ${role} log` });
  const last = request.headers['last-event-id'];
  let offset = last === undefined ? await findTailOffset(path, tail) : readOffset(last);

  const look = async (from: number): Promise<LogChunk & { hasEnded: boolean }> => {
    // Asked before the file is read: what was written until the end is then sent before the end is told.
    const hasEnded = isFinalRunState((await deps.runs.find(principal.tenantId, shortId)).state);
    return { ...(await readLogFrom(path, from, { isAll: hasEnded })), hasEnded };
  };
  const send = async (stream: EventStream): Promise<void> => {
    let hasWaited = false;
    while (!stream.signal.aborted) {
      const from = offset;
      const key = `log ${run.runId} ${path} ${from}`;
      // Who has waited is where the others are; who catches up reads alone, and what it read is not kept.
      const chunk = await (hasWaited ? deps.ticks.share(key, () => look(from)) : look(from));
      hasWaited = false;
      offset = chunk.offset;
      if (chunk.lines.length > 0) {
        await stream.send({ id: offset, event: 'lines', data: { lines: chunk.lines } satisfies LogEvent });
        continue;
      }
      if (chunk.hasEnded || !follow) return await stream.send({ id: offset, event: 'end', data: {} });
      await stream.pause();
      hasWaited = true;
    }
  };
  return await streamEvents(call, { monotonic: deps.monotonic, wait: deps.ticks.next, follow: send });
}

function readOffset(text: string | string[]): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new LachesisError({
    code: 'invalid',
    message: 'Last-Event-ID of a log is the byte offset that was sent as id',
  });
}
