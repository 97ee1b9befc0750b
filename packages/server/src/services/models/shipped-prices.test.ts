import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCost } from './find-cost.ts';
import { findRunPrice, readPriceTable } from './read-prices.ts';
import { PRICES_DATE } from './shipped-prices.ts';

test('known models cost a number, others nothing that is known, and the table of the user goes before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-prices-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'prices.yaml');
  const usage = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 };
  const cost = async (name: string) =>
    findCost({ choices: [], usage, cost: undefined, model: undefined }, [name], await readPriceTable(path));
  expect(await cost('gpt-4o-mini')).toBe(0.75);
  expect(await cost('anthropic/claude-sonnet-4.5')).toBe(18);
  expect(await cost('a-model-of-mine')).toBeNull();
  await writeFile(path, 'gpt-4o-mini: { input: 1, output: 2 }\n');
  expect(await cost('gpt-4o-mini')).toBe(3);
  expect(PRICES_DATE).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test('the prices of the managed service are for runs on it alone', async () => {
  const price = (env: Record<string, string>) => findRunPrice('/nowhere/prices.yaml', 'Qwen/Qwen3-8B', env);
  expect(await price({ TINKER_API_KEY: 'k' })).toEqual({ input: 0.13, output: 0.4, train: 0.4 });
  expect(await price({ TINKER_API_KEY: 'k', TINKER_BASE_URL: 'http://localhost:8011' })).toBeUndefined();
  expect(await price({})).toBeUndefined();
});
