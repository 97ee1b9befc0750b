import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { BatchTask } from '../batch-agent.ts';
import { createCostMeter } from '../cost-meter.ts';
import { createRequestGate } from '../request-gate.ts';
import { createCommandAgent } from './create-command-agent.ts';
import { createHttpAgent } from './create-http-agent.ts';

const task = (prompt: string): BatchTask => ({
  ...{ index: 3, attempt: 1, input: { prompt }, turns: [], signal: new AbortController().signal },
  onTurn: async () => undefined,
});
const shared = { reserve: async () => 0, pause: async () => undefined, readPause: async () => 0 };
const parts = () => ({ gate: createRequestGate({ shared }), meter: createCostMeter(), about: { model: 'm' } });

/** Says back what it was told, as an agent does. */
const SCRIPT = `
let text = ''; process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
  const { prompt, index, model } = JSON.parse(text);
  if (prompt === 'fail') { console.error('no idea'); process.exit(3); }
  if (prompt === 'odd') { console.log('hello'); return; }
  console.log(JSON.stringify({ messages: [{ role: 'system', content: 'x' }, { role: 'assistant', content: index + model + prompt }], cost: 0.5 }));
});`;

it('starts a program for each prompt and reads the conversation it prints', async () => {
  const own = parts();
  const agent = createCommandAgent({ ...own, command: `node -e ${JSON.stringify(SCRIPT.replaceAll('\n', ' '))}` });
  const answer = await agent.run(task('hi'));
  expect(answer.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '3mhi' },
  ]);
  expect(answer).toMatchObject({ completed: true, api_calls: 1, cost: 0.5 });
  expect(own.meter.spent()).toBe(0.5);
  await expect(agent.run(task('fail'))).rejects.toThrow('ended with 3: no idea');
  await expect(agent.run(task('odd'))).rejects.toThrow('is no conversation');
});

it('ends a program with all it started when the work is ended', async () => {
  const ending = new AbortController();
  const agent = createCommandAgent({ ...parts(), command: 'sleep 60 & sleep 60' });
  const running = agent.run({ ...task('hi'), signal: ending.signal });
  setTimeout(() => ending.abort(), 100);
  await expect(running).rejects.toMatchObject({ kind: 'released' });
});

it('posts a prompt to a server, waits out a 429, and tells a refusal', async () => {
  let calls = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => (text += String(piece)));
    request.on('end', () => {
      calls += 1;
      const { prompt } = JSON.parse(text) as { prompt: string };
      if (calls === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (prompt === 'fail') response.writeHead(500).end('broken');
      else response.end(JSON.stringify([{ role: 'assistant', content: 'yes' }]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = createHttpAgent({
    ...parts(),
    stopping: new AbortController().signal,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
  });
  expect((await agent.run(task('hi'))).messages.at(-1)).toEqual({ role: 'assistant', content: 'yes' });
  expect(calls).toBe(2);
  await expect(agent.run(task('fail'))).rejects.toThrow('answered with 500: broken');
  server.close();
});

it('waits for a server that is away, says so once, and gives up one that never answers', async () => {
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  const outages: string[] = [];
  const open = (fetch: typeof globalThis.fetch) =>
    createHttpAgent({
      ...{
        url: 'http://127.0.0.1:1/run',
        about: {},
        meter: createCostMeter(),
        gate: createRequestGate({ shared, clock }),
      },
      ...{ clock, fetch, stopping: new AbortController().signal, onOutage: (reason) => outages.push(reason) },
    });
  const answers = [true, false, false, true];
  const agent = open(async () => {
    if (answers.shift() !== true) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    return Response.json([{ role: 'assistant', content: 'yes' }]);
  });
  await agent.run(task('hi'));
  expect((await agent.run(task('hi'))).messages.at(-1)).toEqual({ role: 'assistant', content: 'yes' });
  expect(answers).toEqual([]);
  expect(outages).toEqual([expect.stringContaining('does not answer: ECONNREFUSED')]);

  const never = open(() => Promise.reject(new TypeError('fetch failed')));
  await expect(never.run(task('hi'))).rejects.toMatchObject({
    kind: 'stop',
    hint: expect.stringContaining('--resume'),
  });
  expect(now).toBeLessThan(60_000);
});
