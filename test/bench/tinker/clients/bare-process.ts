import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { reportResult } from './report-result.ts';
import type { BareOptions, SampleFigures } from './sample-options.ts';

/*
 * The requests of as many samples by Node's HTTP client alone: sent as ours are, with as many under way, and nothing done
 * about them. What they cost is the yardstick of a machine whose pace changes from one minute to the next.
 */

const MAX_SOCKETS = 2_500;
/** As the client does. */
const POSTS_AT_ONCE = 400;

const { url, count, promptTokens, sampledTokens, askAfterMs } = JSON.parse(process.argv[2] ?? '{}') as BareOptions;

const { hostname: host, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS, scheduling: 'lifo' });

function post(path: string, value: unknown): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(value);
    const headers = {
      'x-api-key': 'tml-bench',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const call = request({ host, port, path: `/api/v1/${path}`, method: 'POST', headers, agent });
    call.on('error', reject);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    call.end(body);
  });
}

const prompt = Array.from({ length: promptTokens }, (_, place) => 100 + place);
const waiting: (() => void)[] = [];
let posts = 0;

async function sample(place: number): Promise<boolean> {
  if (posts >= POSTS_AT_ONCE) await new Promise<void>((resolve) => void waiting.push(resolve));
  posts += 1;
  const told = await post('asample', {
    sampling_session_id: 'bare',
    seq_id: place,
    prompt: { chunks: [{ type: 'encoded_text', tokens: prompt }] },
    sampling_params: { max_tokens: sampledTokens },
    num_samples: 1,
  });
  posts -= 1;
  waiting.shift()?.();
  const { request_id: requestId } = JSON.parse(told.toString()) as { request_id: string };
  if (askAfterMs > 0) await sleep(askAfterMs);
  const result = await post('retrieve_future', { request_id: requestId });
  return result.byteLength > 0;
}

const cpu = process.cpuUsage();
const startedAt = performance.now();
const done = await Promise.all(Array.from({ length: count }, (_, place) => sample(place)));
const { user, system } = process.cpuUsage(cpu);
const figures: SampleFigures = {
  completed: done.filter(Boolean).length,
  wallMs: performance.now() - startedAt,
  cpuMs: (user + system) / 1000,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
reportResult(figures);
process.exit(0);
