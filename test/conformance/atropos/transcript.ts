import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { call } from './call.ts';
import type { Reply } from './call.ts';
import { findDifference, parseExact } from './exact-json.ts';
import type { ExactJson } from './exact-json.ts';

const TRANSCRIPT = fileURLToPath(new URL('data/transcript.jsonl', import.meta.url));

export interface TranscriptOutcome {
  readonly requests: number;
  /** The real batches among the replies. */
  readonly batches: number;
  /** What differed, with line and path. */
  readonly differences: readonly string[];
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: ExactJson;
  readonly gzip: boolean;
  readonly status: number;
  readonly reply: ExactJson;
}

/** Sends the recorded requests in order to a fresh server and compares each reply with the one the original gave. */
export async function replayTranscript(options: { url: string; path?: string }): Promise<TranscriptOutcome> {
  const differences: string[] = [];
  let requests = 0;
  let batches = 0;
  for await (const line of createInterface({ input: createReadStream(options.path ?? TRANSCRIPT) })) {
    const exchange = readExchange(line);
    requests += 1;
    const reply = await send(options.url, exchange);
    if (exchange.path === '/batch' && reply.text.length > '{"batch":null}'.length) batches += 1;
    const difference = compare(exchange, reply);
    if (difference !== undefined)
      differences.push(`line ${requests} ${exchange.method} ${exchange.path} ${difference}`);
  }
  return { requests, batches, differences };
}

function readExchange(line: string): Exchange {
  const { m, p, body, gz, status, resp } = parseExact(line) as Record<string, ExactJson>;
  return {
    method: m as string,
    path: p as string,
    body: body ?? null,
    gzip: gz === true,
    status: Number((status as { rawJSON: string }).rawJSON),
    reply: resp ?? null,
  };
}

async function send(url: string, { method, path, body, gzip }: Exchange): Promise<Reply> {
  const headers = { 'accept-encoding': 'gzip, deflate' };
  if (body === null) return call(url, { method, path, headers });
  const text = JSON.stringify(body);
  return call(url, {
    method,
    path,
    body: gzip ? gzipSync(text) : text,
    headers: { ...headers, 'content-type': 'application/json', ...(gzip ? { 'content-encoding': 'gzip' } : {}) },
  });
}

function compare(exchange: Exchange, reply: Reply): string | undefined {
  if (reply.status !== exchange.status)
    return `want ${exchange.status}, got ${reply.status} ${reply.text.slice(0, 200)}`;
  // The words of a refusal are pydantic's own; only that it is one is part of the wire.
  if (reply.status === 422 || reply.status === 500) return undefined;
  const isText = !String(reply.headers['content-type']).startsWith('application/json');
  const got = isText ? reply.text : parseExact(reply.text);
  // A uuid is new each time; the recording holds the word INT where an integer belongs.
  if (exchange.path === '/register')
    return /^\{"uuid": ?\d+\}$/.test(reply.text) ? undefined : `bad uuid ${reply.text}`;
  return findDifference(exchange.reply, got);
}
