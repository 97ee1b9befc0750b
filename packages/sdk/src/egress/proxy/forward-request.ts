import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { EgressTarget } from '../create-egress-rule.ts';
import type { Passage } from './open-passage.ts';

/** Between two programs and no further, and what would lead a client around the proxy. */
const HOP_HEADERS = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'http2-settings', 'alt-svc'],
]);

export interface ForwardOptions {
  readonly incoming: IncomingMessage;
  readonly reply: ServerResponse;
  readonly target: EgressTarget;
  readonly passage: Passage;
  readonly dial: () => Socket;
}

/**
 * Passes one plain request on and its answer back. The message is written anew: what the parser did not understand as part
 * of it does not reach the other side. Rejects when either side ends early.
 */
export async function forwardRequest({ incoming, reply, target, passage, dial }: ForwardOptions): Promise<void> {
  const { url } = target;
  const outgoing = request({
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: ['host', hostOf(url), ...keepHeaders(incoming.rawHeaders, ['host']), 'connection', 'close'],
    setHost: false,
    createConnection: dial,
    signal: passage.signal,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new Error('it changed the protocol'));
    });
  });
  incoming.on('data', (bytes: Buffer) => passage.up(bytes.length));
  passage.up(lengthOf(incoming.rawHeaders) + url.href.length);
  // An answer may come before all was sent; what is left then has nobody to read it.
  const sent = pipeline(incoming, outgoing);
  sent.catch(() => undefined);
  const answer = await answered;
  passage.down(lengthOf(answer.rawHeaders));
  answer.on('data', (bytes: Buffer) => passage.down(bytes.length));
  reply.writeHead(answer.statusCode ?? 502, keepHeaders(answer.rawHeaders));
  await pipeline(answer, reply, { signal: passage.signal });
}

/** As the rule read it, without the dot of the root. */
const hostOf = (url: URL): string => url.host.replace(/\.+(?=:|$)/, '');

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length + 2, 0);

/** Without those of one hop, those that `Connection` names, and `others`. */
function keepHeaders(rawHeaders: readonly string[], others: readonly string[] = []): string[] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  const dropped = new Set([...HOP_HEADERS, ...named, ...others]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
