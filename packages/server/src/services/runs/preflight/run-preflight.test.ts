import type { PreflightStep } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { expect, test } from 'vitest';
import { createDiskCheck } from './disk-check.ts';
import { createEngineChecks } from './engine-checks.ts';
import { createEnvironmentChecks } from './environment-checks.ts';
import { createPreflight, type PreflightCheck } from './run-preflight.ts';

const run = {
  environment: 'digits',
  details: { engineUrl: 'http://engine/' },
  config: { recipe: { env: { tokenizer_name: 'Qwen/Qwen3-8B' }, tinker: { base_model: 'tiny' } } },
} as unknown as TrainingRun;

async function check(checks: readonly PreflightCheck[], subject = run) {
  let made: readonly PreflightStep[] = [];
  const preflight = createPreflight({
    checks,
    monotonic: () => 0,
    onSteps: async (_run, steps) => void (made = [...steps]),
  });
  return { verdict: await preflight(subject, new AbortController().signal), steps: made };
}

const engine = (models: string[] | undefined, loadTokenizer = async () => {}): PreflightCheck[] =>
  createEngineChecks({
    loadTokenizer,
    fetch: async (url) => {
      if (models === undefined) throw new TypeError('fetch failed');
      return Response.json(
        (url as string).endsWith('healthz') ? {} : { supported_models: models.map((name) => ({ model_name: name })) },
      );
    },
  });

const environment = (...wrong: string[]): PreflightCheck[] =>
  createEnvironmentChecks({
    check: async () =>
      ['loads', 'gives items', 'makes valid groups', 'evaluates'].map((name) => ({
        ...{ name, verdict: wrong.includes(name) ? 'wrong' : 'ok', detail: 'as it is' },
      })),
  });

test('every step is told with what it found', async () => {
  const disk = createDiskCheck({ home: '/home', freeBytes: async () => 2 * 1024 ** 3 });
  const { verdict, steps } = await check([...engine(['tiny']), ...environment(), disk]);
  expect(verdict).toEqual({ passed: true });
  expect(steps.map(({ name, state, message }) => `${name} ${state}: ${message}`)).toEqual([
    'engine passed: The engine at http://engine answers.',
    'model passed: The engine serves tiny.',
    'tokenizer passed: The tokenizer of tiny loads.',
    'environment passed: as it is',
    'rollout passed: Rollouts are scored: as it is',
    'disk passed: 2.0 GiB are free in /home.',
  ]);
});

test.each([
  ['engine', engine(undefined), 'does not answer at http://engine', 'lachesis engine up'],
  ['model', engine(['other']), 'does not serve tiny; it serves other', 'base_model'],
  ['tokenizer', engine(['tiny'], () => Promise.reject(new Error('no file'))), 'no file', 'tokenizer_name'],
  ['environment', environment('loads'), 'fails at "loads"', 'lachesis env check digits'],
  ['rollout', environment('makes valid groups'), 'fails at "makes valid groups"', 'lachesis env check digits'],
  ['disk', [createDiskCheck({ home: '/h', freeBytes: async () => 1 })], '0.0 GiB are free', 'Make room'],
] as const)('%s: the first failure ends the check and says what to do', async (name, checks, message, fix) => {
  const { verdict, steps } = await check([...checks, createDiskCheck({ home: '/', freeBytes: async () => 2 ** 40 })]);
  expect(verdict).toMatchObject({ passed: false });
  expect(verdict.passed ? '' : verdict.reason).toContain(fix);
  expect(steps.at(-1)).toMatchObject({ name, state: 'failed' });
  expect(steps.at(-1)?.message).toContain(message);
});

test('a step that hangs ends at its limit, and with the run', async () => {
  const hung = (limitMs: number): PreflightCheck => ({
    ...{ name: 'environment', limitMs, fix: 'Look.', run: () => new Promise(() => {}) },
  });
  expect((await check([hung(20)])).steps).toMatchObject([{ state: 'failed', message: 'It took longer than 0.02 s.' }]);
  const stopped = new AbortController();
  const verdict = createPreflight({ checks: [hung(60_000)], monotonic: () => 0 })(run, stopped.signal);
  stopped.abort(new Error('the run was stopped'));
  expect(await verdict).toMatchObject({ passed: false });
});

test('on the managed service the engine is not asked', async () => {
  const managed = { ...run, details: { engineUrl: null } } as unknown as TrainingRun;
  expect((await check(engine(undefined), managed)).steps.map(({ state }) => state)).toEqual([
    ...['skipped', 'skipped', 'passed'],
  ]);
});
