import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from '@lachesis/sdk/environment';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openForTest } from '../open-for-test.fixture.ts';
import gsm8k from './gsm8k.ts';
import { readProblems } from './read-problems.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-gsm8k-'));
});
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, ...lines: string[]): Promise<string> => {
  await writeFile(join(folder, name), lines.join('\n'));
  return join(folder, name);
};

test('the right answer earns 1 and a wrong one 0, for every problem that ships', async () => {
  const { opened, gradeExamples } = await openForTest(gsm8k);
  expect(await opened.listEvaluationItems()).toHaveLength(20);
  for (let index = 0; index < 180; index += 1) expect(await gradeExamples(index)).toEqual([1, 0]);
});

test('the answer has to stand in a box, after the thinking', async () => {
  const { draw, grade } = await openForTest(gsm8k);
  const drawn = await draw(0);
  const { answer } = drawn.item as { answer: string };
  expect(await grade(drawn, `It is ${answer}.`)).toBe(0);
  expect(await grade(drawn, `<think>\\boxed{${answer}}</think> \\boxed{0}`)).toBe(0);
  expect(await grade(drawn, `<think>\\boxed{0}</think> \\boxed{${Number(answer).toLocaleString('en-US')}}`)).toBe(1);
  expect(await grade(drawn, '')).toBe(0);
});

test('the same seed gives the same order, and training never sees what evaluation holds', async () => {
  const [first, second, other] = await Promise.all([7, 7, 8].map((seed) => openForTest(gsm8k, { seed })));
  const order = async (environment: Awaited<ReturnType<typeof openForTest>> | undefined) =>
    Promise.all(Array.from({ length: 180 }, async (_unused, index) => (await environment?.draw(index))?.item));
  const items = await order(first);
  expect(await order(second)).toEqual(items);
  expect(await order(other)).not.toEqual(items);
  const held = await first?.opened.listEvaluationItems();
  const trained = new Set(items.map((item) => JSON.stringify(item)));
  expect(held?.filter(({ item }) => trained.has(JSON.stringify(item)))).toEqual([]);
});

test('a file of the data set replaces the problems, and a second one the evaluation', async () => {
  const line = JSON.stringify({ question: 'How many?', answer: 'She has 1,000+2=<<1000+2=1002>>1,002.\n#### 1,002' });
  const dataset_path = await write('train.jsonl', line, line, '');
  const eval_dataset_path = await write('test.jsonl', JSON.stringify({ question: 'And now?', answer: 3 }));
  const { opened, draw, grade } = await openForTest(gsm8k, { dataset_path, eval_dataset_path });
  expect((await draw(1)).item).toEqual({ question: 'How many?', answer: '1002' });
  expect(await grade(await draw(0), '\\boxed{1002}')).toBe(1);
  expect((await opened.listEvaluationItems()).map(({ item }) => item)).toEqual([{ question: 'And now?', answer: '3' }]);
});

test('a file on a hub is fetched, and what is wrong is said', async () => {
  const asked: string[] = [];
  const request = (status: number) =>
    (async (url: string) => {
      asked.push(url);
      return new Response('{"question":"q","answer":"#### 1"}', { status });
    }) as typeof fetch;
  const file = 'hf://datasets/openai/gsm8k/main/train.jsonl';
  expect(await readProblems(file, { fetch: request(200), env: {} })).toHaveLength(1);
  await readProblems(file, { fetch: request(200), env: { HF_ENDPOINT: 'https://hub.example/' } });
  expect(asked).toEqual([
    'https://huggingface.co/datasets/openai/gsm8k/resolve/main/main/train.jsonl',
    'https://hub.example/datasets/openai/gsm8k/resolve/main/main/train.jsonl',
  ]);
  await expect(readProblems('https://example.org/x', { fetch: request(404) })).rejects.toThrow('answered 404');
  await expect(readProblems(join(folder, 'missing.jsonl'))).rejects.toThrow('200 problems that come along');
  await expect(readProblems(await write('empty.jsonl', ''))).rejects.toThrow('has no problems');
  await expect(readProblems(await write('bad.jsonl', '{"question":"q","answer":"many"}'))).rejects.toThrow(
    'bad.jsonl:1 is not',
  );
  const error: unknown = await readProblems(await write('broken.jsonl', '{')).catch((caught: unknown) => caught);
  expect(EnvironmentError.isInstance(error)).toBe(true);
});
