import { createRedactor, RL_TOOL_NAMES } from '@lachesis/protocol';
import { createControlClient } from '@lachesis/sdk';
import type { AgentTool } from '@lachesis/sdk/agent';
import { expect, test } from 'vitest';

import { createTrainingTools } from './create-training-tools.ts';

const replies: Record<string, unknown> = {
  'GET /config/estimate': {
    ...{ steps: 10, rollouts: 640, tokens: 1_200_000, seconds: 600, cost: 3.5 },
    ...{ budget: 5, max_tokens: 1_000_000 },
  },
  'GET /config': {
    environment: 'digits',
    configurable_fields: [
      { name: 'group_size', type: 'integer', default: 16, description: '', current_value: 4, kind: 'value' },
      { name: 'reward', type: 'string', default: null, description: '', current_value: 'r.ts', kind: 'code' },
      { name: 'digit', type: 'string', default: '7', description: '', current_value: '7', kind: 'value' },
    ],
    locked_fields: [],
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
const riskOf = (name: string, args = {}) => {
  const { risk } = find(name);
  return typeof risk === 'function' ? risk(args) : risk;
};

test('the ten tools are there, and only what costs or ends is asked about', () => {
  expect(tools.map(({ name }) => name)).toEqual(RL_TOOL_NAMES);
  expect(tools.map(({ name }) => riskOf(name)).filter((risk) => risk !== undefined)).toHaveLength(4);
  expect(riskOf('rl_start_training')).toBe('costs');
  expect(riskOf('rl_edit_config')).toBe('changes');
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
    '10 steps, 640 rollouts, at most 1,200,000 tokens, about 10 minutes, at most 3.50 US dollars, it ends itself at 5.00 US dollars, it ends itself at 1,000,000 tokens',
  );
  const away = createControlClient({ url: 'http://c', fetch: () => Promise.reject(new Error('away')), retryForMs: 0 });
  const start = createTrainingTools({ client: away }).find(({ name }) => name === 'rl_start_training');
  expect(await start?.preview?.({})).toContain('what it takes is not known');
  expect(await find('rl_stop_training').preview?.({ run_id: 'abcdefgh' })).toBe('ends run abcdefgh');
});

test('the question before a start, a test or an edit shows the edits', async () => {
  for (const name of ['rl_start_training', 'rl_test_inference']) {
    const shown = (await find(name).preview?.({})) ?? '';
    expect(shown).toContain('on digits');
    expect(shown).toContain('with these edits:\n  group_size: 16 → 4\n  reward: null → "r.ts"');
    expect(shown).not.toContain('digit:');
  }
  expect(await find('rl_edit_config').preview?.({ field: 'reward', value: 'evil.ts' })).toBe(
    'sets a field of the next run\nreward (code): "r.ts" → "evil.ts"',
  );
  expect(await find('rl_edit_config').preview?.({ field: 'none', value: 1 })).toContain('none: not known → 1');
});

test('what the tools give passes redaction, failures too', async () => {
  const key = ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6'].join('-');
  const said = (status: number) =>
    createTrainingTools({
      redactor: createRedactor({ secrets: ['planted-in-a-variable-1'], entropy: false }),
      client: createControlClient({
        url: 'http://c',
        fetch: async () =>
          new Response(
            JSON.stringify(
              status === 200
                ? [{ name: 'a', class_name: 'A', file_path: 'a.ts', description: `${key} planted-in-a-variable-1` }]
                : { error: { code: 'invalid', message: `${key} planted-in-a-variable-1` } },
            ),
            { status },
          ),
      }),
    }).find(({ name }) => name === 'rl_list_environments')!;
  expect(await said(200).execute({}, context)).not.toMatch(/a1B2c3|planted-in/);
  const failure = await said(422)
    .execute({}, context)
    .then(String, (error: { answer?: string }) => error.answer);
  expect(failure).toContain('invalid');
  expect(failure).not.toMatch(/a1B2c3|planted-in/);
});
