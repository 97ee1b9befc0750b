import { request as httpRequest } from 'node:http';

export interface WatchedStream {
  /** Milliseconds after `from` at which it ended; undefined while it goes on. */
  endedAfter(from: number): number | undefined;
  readonly isOpen: boolean;
  close(): void;
}

/** Opens a call and sees whether it is still open. Resolves when it waits, or has begun to say something. */
export async function watchStream(options: {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Whether it says something at once; else it is open when it was sent. */
  begins: boolean;
}): Promise<WatchedStream> {
  const { url, method, headers, body, begins } = options;
  let endedAt: number | undefined;
  const begun = Promise.withResolvers<void>();
  const end = (): void => void (endedAt ??= performance.now());
  const request = httpRequest(url, { method, agent: false, headers }, (reply) => {
    if ((reply.statusCode ?? 0) >= 400) {
      begun.reject(new Error(`${method} ${url} was answered with ${reply.statusCode}`));
    }
    begun.resolve();
    reply.resume();
    reply.once('close', end);
    reply.once('error', end);
  });
  request.once('error', (error) => {
    end();
    begun.reject(error);
  });
  request.once('close', end);
  request.end(body);
  if (begins) await begun.promise;
  else begun.promise.catch(() => undefined);
  return {
    get isOpen() {
      return endedAt === undefined;
    },
    endedAfter: (from) => (endedAt === undefined ? undefined : endedAt - from),
    close: () => request.destroy(),
  };
}
