import { Agent, request } from 'node:http';

/*
 * Sends chat completions and prints what happened as one JSON line. LACHESIS_LOAD is a ClientLoad: `atOnce` requests
 * together, or `perSecond` of them for `seconds`, each sent when its time has come whether others are answered or not.
 */

export interface ClientLoad {
  readonly url: string;
  readonly atOnce?: number;
  readonly perSecond?: number;
  readonly seconds?: number;
  /** Not counted: connections are opened and code is compiled. */
  readonly warmUpSeconds?: number;
}

export interface ClientResult {
  readonly answered: number;
  readonly failed: number;
  readonly failures: readonly string[];
  /** Milliseconds, sorted. */
  readonly latencies: readonly number[];
}

const load = JSON.parse(process.env['LACHESIS_LOAD'] ?? '{}') as ClientLoad;
const body = Buffer.from(
  JSON.stringify({
    model: 'policy',
    messages: [
      { role: 'system', content: 'You are a careful assistant. '.repeat(8) },
      { role: 'user', content: 'What is 12 + 30? '.repeat(16) },
    ],
    max_tokens: 128,
    temperature: 1,
    return_token_ids: true,
  }),
);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const latencies: number[] = [];
const failures = new Set<string>();
let [answered, failed] = [0, 0];

function send(isCounted: boolean): Promise<void> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const fail = (reason: string): void => {
      failed += 1;
      if (failures.size < 5) failures.add(reason);
      resolve();
    };
    const call = request(
      `${load.url}/v1/chat/completions`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': body.byteLength } },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', (error) => fail(error.message));
        reply.once('end', () => {
          const took = performance.now() - startedAt;
          const text = Buffer.concat(chunks).toString();
          if (reply.statusCode !== 200 || !text.includes('"token_ids"')) {
            fail(`HTTP ${reply.statusCode}: ${text.slice(0, 200)}`);
            return;
          }
          if (isCounted) latencies.push(took);
          answered += 1;
          resolve();
        });
      },
    );
    call.once('error', (error) => fail(error.message));
    call.end(body);
  });
}

async function sendAtRate(perSecond: number, seconds: number, isCounted: boolean): Promise<void> {
  const startedAt = performance.now();
  const total = Math.round(perSecond * seconds);
  const under: Promise<void>[] = [];
  while (under.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    while (under.length < due) under.push(send(isCounted));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
}

if (load.atOnce !== undefined) await Promise.all(Array.from({ length: load.atOnce }, () => send(true)));
else {
  await sendAtRate(load.perSecond ?? 1, load.warmUpSeconds ?? 2, false);
  await sendAtRate(load.perSecond ?? 1, load.seconds ?? 5, true);
}
const result: ClientResult = {
  answered,
  failed,
  failures: [...failures],
  latencies: latencies.sort((left, right) => left - right),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
agent.destroy();
