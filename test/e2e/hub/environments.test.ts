import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startHub, type TestHub } from '../../../packages/sdk/src/hub/testing/start-hub.fixture.ts';
import { TEST_PARQUET, TRAIN_PARQUET } from '../../../packages/sdk/src/hub/testing/parquet.fixture.ts';
import digits from '../../../packages/environments/src/digits/digits.ts';
import gsm8k from '../../../packages/environments/src/gsm8k/gsm8k.ts';
import { readNamedProblems } from '../../../packages/environments/src/gsm8k/read-named-problems.ts';
import { openForTest } from '../../../packages/environments/src/open-for-test.fixture.ts';
import rlhf from '../../../packages/environments/src/rlhf/rlhf.ts';

let folder = '';
let hub: TestHub;
const files = { 'main/train.parquet': TRAIN_PARQUET, 'main/test.parquet': TEST_PARQUET };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-named-'));
  hub = await startHub({
    repositories: {
      'openai/gsm8k': { type: 'dataset', files },
      'owner/prompts': { type: 'dataset', files: { 'train.jsonl': '{"ask":"Say hello.","want":"hello"}\n'.repeat(4) } },
    },
  });
  vi.stubEnv('HF_ENDPOINT', hub.url);
  vi.stubEnv('HF_HUB_CACHE', folder);
  vi.stubEnv('HF_HUB_OFFLINE', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await hub[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('gsm8k is the real one where the hub has it', async () => {
  const { opened, draw } = await openForTest(gsm8k);
  const trained = await Promise.all([0, 1].map(async (index) => (await draw(index)).item));
  expect(trained).toEqual(
    expect.arrayContaining([
      { question: 'How many?', answer: '2' },
      { question: 'And now?', answer: '3' },
    ]),
  );
  expect((await opened.listEvaluationItems()).map(({ item }) => item)).toEqual([{ question: 'And now?', answer: '3' }]);
});

test('and where it cannot be had, the problems that come along, said aloud', async () => {
  const said: string[] = [];
  const config = gsm8k.configSchema.parse({}) as never as Parameters<typeof readNamedProblems>[0];
  const env = { HF_HUB_OFFLINE: '1', HF_HUB_CACHE: join(folder, 'empty') };
  const { train } = await readNamedProblems(
    { ...config, api_fields: [] },
    { env, signal: new AbortController().signal, log: (text) => said.push(text) },
  );
  expect(train).toHaveLength(200);
  expect(said.join('')).toMatch(/HF_HUB_OFFLINE.*200 problems that come along are used/);
  const other = { ...config, dataset_name: 'owner/missing', api_fields: [] };
  const signal = new AbortController().signal;
  await expect(readNamedProblems(other, { env, signal, log: () => {} })).rejects.toThrow(/owner\/missing/);
});

test('the columns of any data set become prompts and answers', async () => {
  const fields = { dataset_name: 'owner/prompts', prompt_field: 'ask' };
  const reward = 'http://127.0.0.1:9/reward';
  const prompts = await openForTest(rlhf, { ...fields, answer_field: 'want', reward });
  expect((await prompts.draw(0)).item).toMatchObject({
    messages: [{ role: 'user', content: 'Say hello.' }],
    expected: 'hello',
  });
  expect((await (await openForTest(digits, fields)).draw(0)).item).toBe('Say hello.');
  await expect(openForTest(digits, { ...fields, prompt_field: 'no' })).rejects.toThrow(/row 1 has no "no"/);
});

test('the token goes to the hub for what the operator named, and not for what came through the API', async () => {
  vi.stubEnv('HF_TOKEN', 'hf_operator');
  const tokens = async (api_fields: string[]) => {
    hub.calls.length = 0;
    const dataset_name = api_fields.length === 0 ? 'owner/prompts' : 'openai/gsm8k';
    const name = { dataset_name, dataset_config: undefined, prompt_field: 'x', api_fields };
    vi.stubEnv('HF_HUB_CACHE', join(folder, `fresh-${api_fields.length}`));
    await openForTest(digits, name).catch(() => undefined);
    return new Set(hub.calls.map(({ authorization }) => authorization));
  };
  expect(await tokens([])).toContain('Bearer hf_operator');
  expect(await tokens(['dataset_name'])).toEqual(new Set([undefined]));
});
