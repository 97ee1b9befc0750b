import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPaint } from '../../terminal/paint.ts';
import { describeUp, describeUpAsJson } from './describe.ts';
import { findNamedRecipe, readRecipeFile, wantsLocalEngine } from '../train/recipe-file.ts';
import { describeRunsLeft } from './runs.ts';

const SHIPPED = new URL('../../../recipes/', import.meta.url).pathname;
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-up-recipe-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

test('a recipe that comes with the command is found by its name, wherever one stands', () => {
  expect(findNamedRecipe({ given: 'quick_test', home })).toBe(join(SHIPPED, 'quick_test.yaml'));
});

test('a recipe of the home goes before one that comes with the command', async () => {
  await mkdir(join(home, 'recipes'));
  await writeFile(join(home, 'recipes', 'mine.yaml'), 'environment: digits\n');
  expect(findNamedRecipe({ given: 'mine', home })).toBe(join(home, 'recipes', 'mine.yaml'));
});

test('a recipe that trains whatever the engine has wants one of this machine', async () => {
  const local = async (name: string): Promise<boolean> =>
    wantsLocalEngine(await readRecipeFile(join(SHIPPED, `${name}.yaml`)));
  expect([await local('cpu_tiny'), await local('quick_test'), await local('default')]).toEqual([true, false, false]);
});

const facts = {
  ...{
    gatewayUrl: 'http://127.0.0.1:8001',
    controlUrl: 'http://127.0.0.1:8080',
    pageUrl: 'http://localhost:8080/#c0de',
    engineUrl: 'http://127.0.0.1:8100',
  },
  ...{ backend: 'http://127.0.0.1:8100', home: '/h', recipe: 'cpu_tiny' },
  ...{ gatewayKey: undefined, tokenFile: undefined },
};

test('says where everything is', () => {
  const text = describeUp(facts, createPaint(false));
  for (const address of ['http://localhost:8080', 'http://localhost:8001/v1', 'http://localhost:8100']) {
    expect(text).toContain(address);
  }
  const keyed = describeUp({ ...facts, gatewayKey: 'lch_k', tokenFile: '/h/token' }, createPaint(false));
  expect(keyed).toContain('OPENAI_BASE_URL=http://localhost:8001/key/lch_k/v1');
  expect(keyed).toContain('/h/token');
  expect(describeUp({ ...facts, engineUrl: undefined }, createPaint(false))).not.toContain('engine  ');
});

test('the page comes first and alone', () => {
  expect(describeUp(facts, createPaint(false)).split('\n').slice(0, 2)).toEqual(['http://localhost:8080/#c0de', '']);
});

test('is up what has answered', () => {
  expect(describeUp(facts, createPaint(false))).toContain('Lachesis is up');
  const silent = describeUp({ ...facts, isSilent: true }, createPaint(false));
  expect(silent).toContain('its model does not answer yet');
  expect(silent).not.toContain('is up');
});

test('tells machines the same in one line', () => {
  expect(JSON.parse(describeUpAsJson({ ...facts, pid: 7 }))).toEqual({
    base_url: 'http://127.0.0.1:8001/v1',
    gateway_url: 'http://127.0.0.1:8001',
    library_url: 'http://127.0.0.1:8080',
    control_url: 'http://127.0.0.1:8080',
    page_url: 'http://localhost:8080/#c0de',
    engine_url: 'http://127.0.0.1:8100',
    recipe: 'cpu_tiny',
    backend: 'http://127.0.0.1:8100',
    token_file: null,
    pid: 7,
  });
});

test('runs that go on are named, with what ends them', () => {
  expect(describeRunsLeft([], { hasEngine: true })).toBe('');
  expect(describeRunsLeft(['ab12cd34'], { hasEngine: true })).toContain('lachesis stop ab12cd34');
});
