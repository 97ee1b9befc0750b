import { Agent, request } from 'node:http';

/*
 * Agents at work: conversations of eight calls, each with everything that was said before, a tool's output and a question;
 * every other call is streamed. Calls are sent when their time has come, whether others are answered or not. LACHESIS_LOAD
 * is an AgentLoad; what happened is printed as one JSON line.
 */

export interface AgentLoad {
  readonly url: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Not counted: connections are opened and code is compiled. */
  readonly warmUpSeconds: number;
  /** Tells the conversations of one client from those of another. */
  readonly name: string;
}

export interface AgentResult {
  readonly answered: number;
  readonly failures: readonly string[];
  /** Milliseconds to the end of the reply. */
  readonly latencies: readonly number[];
}

const load = JSON.parse(process.env['LACHESIS_LOAD'] ?? '{}') as AgentLoad;
const TURNS = 8;
/** Conversations under way at once: the next call of one comes long after the reply to the last. */
const AT_ONCE = 64;
const REPLY = 'word '.repeat(64);
const tools = Array.from({ length: 4 }, (_, index) => ({
  type: 'function',
  function: {
    name: `tool_${index}`,
    description: 'Looks something up and says what it found. '.repeat(3),
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
}));
const bodies = Array.from({ length: TURNS }, (_, turn) => {
  const messages: object[] = [{ role: 'system', content: 'You are a careful assistant. '.repeat(16) }];
  for (let at = 0; at <= turn; at += 1) {
    messages.push({
      role: 'user',
      content: `Question ${at}: what is in the file? ${'Line of the file, with words. '.repeat(24)}`,
    });
    if (at < turn) messages.push({ role: 'assistant', content: REPLY });
  }
  return Buffer.from(
    JSON.stringify({ model: 'policy', messages, tools, max_tokens: 128, temperature: 1, stream: turn % 2 === 1 }),
  );
});

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const latencies: number[] = [];
const failures = new Set<string>();
let answered = 0;

function send(call: number, isCounted: boolean): Promise<void> {
  const round = Math.floor(call / AT_ONCE);
  const conversation = `${load.name}-${Math.floor(round / TURNS)}-${call % AT_ONCE}`;
  const body = bodies[round % TURNS]!;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const fail = (reason: string): void => {
      if (failures.size < 5) failures.add(reason);
      resolve();
    };
    const sent = request(
      `${load.url}/v1/chat/completions`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': body.byteLength,
          'x-lachesis-trajectory': conversation,
        },
      },
      (reply) => {
        let bytes = 0;
        reply.on('data', (chunk: Buffer) => void (bytes += chunk.byteLength));
        reply.once('error', (error) => fail(error.message));
        reply.once('end', () => {
          if (reply.statusCode !== 200 || bytes < 1000) return fail(`HTTP ${reply.statusCode}, ${bytes} bytes`);
          if (isCounted) latencies.push(performance.now() - startedAt);
          answered += 1;
          return resolve();
        });
      },
    );
    sent.once('error', (error) => fail(error.message));
    sent.end(body);
  });
}

let call = 0;
for (const [seconds, isCounted] of [
  [load.warmUpSeconds, false],
  [load.seconds, true],
] as const) {
  const startedAt = performance.now();
  const total = Math.round(load.perSecond * seconds);
  const under: Promise<void>[] = [];
  while (under.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * load.perSecond));
    while (under.length < due) {
      under.push(send(call, isCounted));
      call += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
}
const result: AgentResult = { answered, failures: [...failures], latencies };
process.stdout.write(`${JSON.stringify(result)}\n`);
agent.destroy();
