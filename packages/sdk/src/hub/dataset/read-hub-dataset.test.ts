import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startHub, type TestHubOptions } from '../testing/start-hub.fixture.ts';
import { TEST_PARQUET, TRAIN_PARQUET } from '../testing/parquet.fixture.ts';
import { readHubDataset, type ReadHubDatasetOptions } from './read-hub-dataset.ts';

const train = [
  { question: 'How many?', answer: 'Two.\n#### 2', level: 1 },
  { question: 'And now?', answer: '#### 3', level: 2 },
];
const CARD = `---
configs:
- config_name: main
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: main/test-*
- config_name: socratic
  data_files:
  - split: train
    path: socratic/train-*
---
# GSM8K
`;
const repositories = {
  'openai/gsm8k': {
    type: 'dataset',
    files: {
      'README.md': CARD,
      'main/train-00000-of-00001.parquet': TRAIN_PARQUET,
      'main/test-00000-of-00001.parquet': TEST_PARQUET,
      'socratic/train-00000-of-00001.parquet': TRAIN_PARQUET,
    },
    large: ['main/train-00000-of-00001.parquet', 'main/test-00000-of-00001.parquet'],
  },
  'owner/lines': {
    type: 'dataset',
    files: { 'train.jsonl': '{"prompt":"a","n":1}\n\n{"prompt":"b","n":2}\n', 'test.jsonl': '{"prompt":"c"}\n{"pro' },
  },
  'owner/private': { type: 'dataset', files: { 'data.jsonl': '{"a":1}' }, token: 'hf_right' },
} as const satisfies TestHubOptions['repositories'];

let cache = '';
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'lachesis-datasets-'));
});
afterEach(() => rm(cache, { recursive: true }));

async function read(options: ReadHubDatasetOptions, hubOptions: Partial<TestHubOptions> = {}) {
  await using hub = await startHub({ repositories, ...hubOptions });
  const env = { HF_ENDPOINT: hub.url, HF_HUB_CACHE: cache, ...options.env };
  const rows = await readHubDataset({ sleep: () => Promise.resolve(), ...options, env }).catch(
    (error: Error) => error.message,
  );
  return { rows, calls: hub.calls.length };
}
const gsm8k = { name: 'openai/gsm8k', config: 'main' } as const;

it('reads the Parquet of a split that the card names, through a busy hub that cuts downloads, and once', async () => {
  const { rows } = await read(gsm8k, { busy: 2, cuts: 2 });
  expect(rows).toEqual(train);
  expect(await read(gsm8k)).toEqual({ rows: train, calls: 0 });
  expect((await read({ ...gsm8k, split: 'test', fields: ['answer'] })).rows).toEqual([{ answer: '#### 3' }]);
  expect(await read({ ...gsm8k, env: { HF_HUB_OFFLINE: '1' }, limit: 1 })).toEqual({
    rows: train.slice(0, 1),
    calls: 0,
  });
});

it('reads lines of JSON by the names of files, and names the line that is none', async () => {
  expect((await read({ name: 'owner/lines' })).rows).toEqual([
    { prompt: 'a', n: 1 },
    { prompt: 'b', n: 2 },
  ]);
  expect((await read({ name: 'owner/lines', split: 'test' })).rows).toMatch(
    /test.jsonl of owner\/lines cannot be read: line 2/,
  );
});

it('refuses with what there is', async () => {
  expect((await read({ name: 'openai/gsm8k' })).rows).toMatch(/several parts: main, socratic/);
  expect((await read({ ...gsm8k, split: 'validation' })).rows).toMatch(/its splits are train, test/);
  expect((await read({ ...gsm8k, fields: ['prompt'] })).rows).toMatch(/row 1 has no "prompt"/);
  expect((await read({ name: 'owner/private' })).rows).toMatch(/HF_TOKEN/);
  expect((await read({ name: 'owner/private', env: { HF_TOKEN: 'hf_right' } })).rows).toEqual([{ a: 1 }]);
  expect((await read({ ...gsm8k, config: 'x', env: { HF_HUB_OFFLINE: '1' } })).rows).toMatch(/HF_HUB_OFFLINE/);
});

it('refuses a file that was changed on its way', async () => {
  expect((await read(gsm8k, { isCorrupting: true })).rows).toMatch(/another hash than the hub announced/);
});
