import { Agent, request as httpRequest } from 'node:http';

export interface Call {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An admitted call may be answered with a stream; what it is allowed to say before we hang up is bounded by this. */
const LONGEST_MS = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** One call over a socket. */
export function call({ url, method, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, agent, headers: { ...headers, ...lengthOf(body) } }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.once('error', reject);
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    const late = (): unknown => request.destroy(new Error(`${method} ${url} was not answered`));
    const timer = setTimeout(late, LONGEST_MS);
    request.once('close', () => clearTimeout(timer));
    request.once('error', reject);
    request.end(body);
  });
}

const lengthOf = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
