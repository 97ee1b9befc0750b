import { RL_TOOL_NAMES } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import type { AgentTool, ToolRisk } from '@lachesis/sdk/agent';
import { expect, test } from 'vitest';

import { createTrainingTools } from './create-training-tools.ts';

const replies: Record<string, unknown> = {
  'GET /config/estimate': {
    ...{ steps: 10, rollouts: 640, tokens: 1_200_000, seconds: 600, cost: 3.5 },
    ...{ budget: 5, max_tokens: 1_000_000 },
  },
  'GET /environments': [{ name: 'digits', class_name: 'Digits', file_path: 'digits.ts', description: 'Digits.' }],
};
const serve = (async (url: string, init: RequestInit) => {
  const reply = replies[`${init.method ?? 'GET'} ${new URL(url).pathname}`];
  return reply === undefined
    ? new Response('{"error":{"code":"not-found","message":"There is no such run."}}', { status: 404 })
    : new Response(JSON.stringify(reply));
}) as typeof fetch;

const tools = createTrainingTools({ client: createControlClient({ url: 'http://c', fetch: serve }) });
const find = (wanted: string): AgentTool => tools.find(({ name }) => name === wanted)!;
const context = { signal: new AbortController().signal, callId: 'c' };
const riskOf = (name: string, args = {}): ToolRisk | undefined => {
  const { risk } = find(name);
  return typeof risk === 'function' ? risk(args) : risk;
};

test('the ten tools are there, and only what costs or ends is asked about', () => {
  expect(tools.map(({ name }) => name)).toEqual(RL_TOOL_NAMES);
  expect(tools.map(({ name }) => riskOf(name)).filter((risk) => risk !== undefined)).toHaveLength(3);
  expect(riskOf('rl_start_training')).toBe('costs');
  expect(riskOf('rl_stop_training')).toBe('destroys');
  expect([riskOf('rl_test_inference'), riskOf('rl_test_inference', { test_id: 't' })]).toEqual(['costs', undefined]);
});

test('their answers are the texts of the tools, failures too', async () => {
  expect(JSON.parse((await find('rl_list_environments').execute({}, context)) as string)).toMatchObject({ count: 1 });
  await expect(find('rl_check_status').execute({ run_id: 'abcdefgh' }, context)).rejects.toMatchObject({
    answer: expect.stringContaining('There is no such run.') as unknown,
  });
});

test('a start says what it takes, and that nobody knows when nobody does', async () => {
  expect(await find('rl_start_training').preview?.({})).toContain(
    '10 steps, 640 rollouts, at most 1,200,000 tokens, about 10 minutes, about 3.50 US dollars, it ends itself at 5.00 US dollars, it ends itself at 1,000,000 tokens',
  );
  const away = createControlClient({ url: 'http://c', fetch: () => Promise.reject(new Error('away')), retryForMs: 0 });
  const start = createTrainingTools({ client: away }).find(({ name }) => name === 'rl_start_training');
  expect(await start?.preview?.({})).toContain('what it takes is not known');
  expect(await find('rl_stop_training').preview?.({ run_id: 'abcdefgh' })).toBe('ends run abcdefgh');
});
