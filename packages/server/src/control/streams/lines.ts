import { LachesisError } from '@lachesis/protocol';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { RouteCall } from '../../http/route.ts';

/** Readers give up on a silent server after some minutes. */
const KEEP_ALIVE_MS = 15_000;

/** What every stream of lines may have between its own. */
export type ServiceLine = { waiting: true } | { failed: { message: string; hint?: string | undefined } };

/**
 * Answers with one JSON object a line, as they come. What fails before the first line is refused as any call is; later it
 * is the last line. Who goes away ends the work.
 */
export async function sendLines<T>(
  { reply, request }: Pick<RouteCall, 'reply' | 'request'>,
  open: (signal: AbortSignal) => AsyncGenerator<T>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const lines = open(gone.signal);
  const first = await lines.next();
  const write = (line: T | ServiceLine): string => `${JSON.stringify(line)}\n`;
  const text = async function* (): AsyncGenerator<string> {
    try {
      for (let next = first; next.done !== true;) {
        yield write(next.value);
        const coming = lines.next();
        let arrived: IteratorResult<T> | undefined;
        while ((arrived = await orSilence(coming, gone.signal)) === undefined) yield write({ waiting: true });
        next = arrived;
      }
    } catch (error) {
      if (gone.signal.aborted) return;
      request.log.warn({ err: error }, 'a stream of lines ended before its end');
      yield write({ failed: describe(error) });
    } finally {
      await lines.return(undefined);
    }
  };
  return reply.type('application/x-ndjson').send(Readable.from(text()));
}

/** Undefined when nothing came for a while. */
async function orSilence<T>(coming: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), KEEP_ALIVE_MS);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    const arrived = await Promise.race([coming, silence]);
    signal.throwIfAborted();
    return arrived;
  } finally {
    clearTimeout(timer);
  }
}

/** What an engine or a tokenizer says is for the person who asked; faults of ours are in the log. */
function describe(error: unknown): { message: string; hint?: string } {
  if (!LachesisError.isInstance(error)) return { message: error instanceof Error ? error.message : String(error) };
  return { message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
}
