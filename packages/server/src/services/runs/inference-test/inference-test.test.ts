import type { z } from 'zod';
import { type inferenceTestRequestSchema, inferenceTestSchema } from '@lachesis/protocol';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseServers, DEFAULT_MODELS } from './choose-servers.ts';
import { createInferenceTests, type InferenceTestParts } from './create-inference-tests.ts';
import { judgeRollouts } from './judge-rollouts.ts';

type InferenceTestRequest = z.infer<typeof inferenceTestRequestSchema>;

async function open(change: Partial<InferenceTestParts> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let ids = 0;
  const tests = createInferenceTests({
    folderOf: () => folder,
    findChoices: async () => ({ active: [], configured: { url: 'http://m/v1', model: 'm' } }),
    findEnvironment: async () => ({ name: 'digits', settings: {} }),
    processEnvironment: async () => ({ code: 0, lastWords: '' }),
    grade: async (_environment, _test, replies) =>
      replies.map(({ prompt, response }) => ({ score: prompt === response ? 1 : 0, reason: null })),
    fetch: async (_url, init) => {
      const { messages } = JSON.parse(init?.body as string) as { messages: { content: string }[] };
      if (messages[0]?.content === 'break') return new Response('no', { status: 500 });
      return Response.json(reply(messages[0]?.content ?? ''));
    },
    nextId: () => String((ids += 1)),
    sleep: () => new Promise(() => {}),
    ...change,
  });
  return { folder, tests };
}

const reply = (content: string) => ({
  ...{ id: 'x', object: 'chat.completion', created: 0, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const prompts = (...given: string[]): InferenceTestRequest => ({ prompts: given, max_tokens: 8, temperature: 1 });
const steps: InferenceTestRequest = { num_steps: 2, group_size: 2 };

test('prompts are answered and scored; one that fails is told and has no score', async () => {
  const { folder, tests } = await open();
  const made = inferenceTestSchema.parse(await tests.start('t', prompts('a', 'break')));
  expect(made).toMatchObject({ status: 'completed', summary: { passed: false } });
  expect(made.results).toMatchObject([
    { prompt: 'a', response: 'a', score: 1 },
    { prompt: 'break', response: null, score: null, reason: 'the model did not answer: HTTP 500 no' },
  ]);
  expect((await readFile(join(folder, 'test_digits_m.jsonl'), 'utf8')).split('\n')).toHaveLength(3);
  await tests.start('t', prompts('b'));
  expect((await readdir(folder)).toSorted()).toEqual([
    ...['test_digits_m.jsonl', 'test_digits_m.log', 'test_digits_m.previous.jsonl', 'test_digits_m.previous.log'],
  ]);
});

test('an expected answer goes to the environment with its prompt; one for each prompt or none', async () => {
  const { tests } = await open({
    grade: async (_environment, _test, replies) =>
      replies.map(({ response, expected }) => ({ score: expected === response ? 1 : 0, reason: null })),
  });
  const given = { ...prompts('a', 'b'), expected: ['a', null] } as InferenceTestRequest;
  expect((await tests.start('t', given)).results).toMatchObject([
    { prompt: 'a', expected: 'a', score: 1 },
    { prompt: 'b', expected: null, score: 0 },
  ]);
  const short = { ...prompts('a', 'b'), expected: ['a'] } as InferenceTestRequest;
  await expect(tests.start('t', short)).rejects.toThrow('expected has 1 answers for 2 prompts');
});

test('steps are read from what the environment prints, and judged', async () => {
  const rollout = (outcome: object): string => JSON.stringify({ kind: 'rollout-ended', split: 'train', outcome });
  const { tests } = await open({
    processEnvironment: async ({ onLine, groups, groupSize }) => {
      expect([groups, groupSize]).toEqual([2, 2]);
      for (const reward of [1, 0]) onLine(rollout({ kind: 'scored', reward }));
      onLine('{"kind":"group-written"}');
      onLine(rollout({ kind: 'failed', failure: 'verifier', reason: 'no number in it' }));
      onLine('something of the environment');
      return { code: 0, lastWords: '' };
    },
  });
  const { models, summary } = inferenceTestSchema.parse(await tests.start('t', steps));
  expect(models).toMatchObject([
    { model: 'm', steps: 1, completions: 3, failed: 1, accuracy: 0.5, scores: [1, 0, null] },
  ]);
  expect(summary).toMatchObject({ passed: false });
  expect(summary.message).toContain('m, parsing: 2 of 3 replies were parsed and scored; the others: no number in it.');
});

test('a test that takes longer comes back with what it has, and is read on by its tenant', async () => {
  let end: () => void = () => {};
  const { tests } = await open({
    sleep: async () => {},
    processEnvironment: ({ onLine }) =>
      new Promise((resolve) => {
        onLine('{"kind":"group-written"}');
        end = () => resolve({ code: 3, lastWords: 'the server is away' });
      }),
  });
  const { test_id: id, status } = await tests.start('t', steps);
  expect(status).toBe('running');
  expect(() => tests.read('u', id)).toThrow('there is no test');
  await expect.poll(() => tests.read('t', id).models).toMatchObject([{ steps: 1 }]);
  end();
  await expect
    .poll(() => tests.read('t', id))
    .toMatchObject({
      ...{ status: 'completed', models: [{ error: 'the server is away' }], summary: { passed: false } },
    });
});

test('a verifier that breaks scores nothing, and says so', async () => {
  const { tests } = await open({ grade: () => Promise.reject(new Error('no sandbox')) });
  expect((await tests.start('t', prompts('a'))).results).toMatchObject([
    { response: 'a', score: null, reason: 'the verifier failed: no sandbox' },
  ]);
});

test('without an environment tasks cannot be tried', async () => {
  const { tests } = await open({ findEnvironment: async () => undefined });
  await expect(tests.start('t', steps)).rejects.toMatchObject({ code: 'conflict' });
});

test('the policy of the one active run is asked first, then the configured server, then OpenRouter', () => {
  const active = [{ runId: 'aaaaaaaa', url: 'http://127.0.0.1:1/v1' }];
  const configured = { url: 'http://m/v1' };
  const urls = (...given: Parameters<typeof chooseServers>): string[] => chooseServers(...given).map(({ url }) => url);
  expect(urls({}, { active, configured })).toEqual(['http://127.0.0.1:1/v1']);
  expect(urls({ models: ['x'] }, { active, configured })).toEqual(['http://m/v1']);
  expect(chooseServers({}, { active: [], openRouterKey: 'k' }).map(({ model }) => model)).toEqual([...DEFAULT_MODELS]);
  expect(() => chooseServers({ runId: 'bbbbbbbb' }, { active })).toThrow('serves no policy now');
  expect(() => chooseServers({}, { active: [], openRouterKey: '' })).toThrow('no model server is configured');
});

test('equal rewards and rewards outside 0 to 1 are told', () => {
  const judge = (scores: number[]) =>
    judgeRollouts({ isLoaded: true, scores, failures: [], error: null }).filter(({ passed }) => !passed);
  expect(judge([0, 1])).toEqual([]);
  expect(judge([1, 1]).map(({ check }) => check)).toEqual(['constant_rewards']);
  expect(judge([0, 2]).map(({ check }) => check)).toEqual(['reward_spread']);
  expect(judgeRollouts({ isLoaded: false, scores: [], failures: [], error: 'no data' })).toMatchObject([
    { check: 'load', passed: false, message: 'The environment did not start: no data.' },
  ]);
});

test('the gateway beside the server is asked when nothing else is configured', () => {
  const gateway = { url: 'http://127.0.0.1:8001/v1', apiKey: 'k' };
  const asked = { url: gateway.url, apiKey: 'k', model: 'default', label: 'gateway' };
  expect(chooseServers({}, { active: [], gateway })).toEqual([asked]);
  expect(chooseServers({}, { active: [], gateway, openRouterKey: 'o' })).toEqual([asked]);
  expect(chooseServers({ models: ['a/b'] }, { active: [], gateway, openRouterKey: 'o' })[0]?.url).toMatch(/openrouter/);
  expect(chooseServers({}, { active: [], gateway, configured: { url: 'http://m/v1' } })[0]?.url).toBe('http://m/v1');
  expect(chooseServers({}, { active: [{ runId: 'r', url: 'http://r/v1' }], gateway })[0]?.url).toBe('http://r/v1');
});
