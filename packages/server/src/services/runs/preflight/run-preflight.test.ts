import type { PreflightStep } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { expect, test } from 'vitest';
import { createDiskCheck } from './disk-check.ts';
import { createEngineChecks } from './engine-checks.ts';
import { createEnvironmentChecks } from './environment-checks.ts';
import { createRewardsCheck, type SampledRewards } from './rewards-check.ts';
import { createPreflight, type PreflightCheck } from './run-preflight.ts';
import { createSettingsCheck } from './settings-check.ts';
import { createTeacherCheck } from './teacher-check.ts';
import { createTemplateCheck } from './template-check.ts';

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

const LINES = ['loads', 'gives items', 'makes valid groups', 'evaluates'];
const checksOf = (names: readonly string[], wrong: readonly string[] = []) =>
  createEnvironmentChecks({
    check: async () =>
      names.map((name) => ({ name, verdict: wrong.includes(name) ? 'wrong' : 'ok', detail: 'as it is' })),
  });
const environment = (...wrong: string[]): PreflightCheck[] => checksOf(LINES, wrong).checks;

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

const withRecipe = (recipe: object): TrainingRun => ({ ...run, config: { recipe } }) as unknown as TrainingRun;

const rewards = (sampled: SampledRewards | Error | undefined): PreflightCheck[] => [
  createRewardsCheck({
    writeWarmUpCommand: () => 'lachesis train warm-up --environment digits',
    sample: async () => {
      if (sampled instanceof Error) throw sampled;
      return sampled;
    },
  }),
];
const sixteen = (group: readonly number[]): number[][] => Array.from({ length: 16 }, () => [...group]);

test('what the model itself earns is told with its spread', async () => {
  const { verdict, steps } = await check(rewards([...sixteen([0, 0]).slice(1), [0, 0.5]]));
  expect(verdict).toEqual({ passed: true });
  expect(steps[0]?.message).toBe(
    '32 replies of the model to 16 tasks earned 0 to 0.5, 0.016 on average; those to 1 tasks differ.',
  );
});

test('a run whose reward cannot vary is refused with the warm-up command, unless it is told', async () => {
  const { verdict } = await check(rewards(sixteen([0, 0, 0, 0])));
  expect(verdict.passed ? '' : verdict.reason).toContain('`lachesis train warm-up --environment digits`');
  expect(verdict.passed ? '' : verdict.reason).toContain('allow_flat_reward: true');
  const told = await check(rewards(sixteen([0, 0])), withRecipe({ tinker: { allow_flat_reward: true } }));
  expect(told).toMatchObject({ verdict: { passed: true }, steps: [{ name: 'rewards', state: 'warned' }] });
  // Each task is right or wrong for itself: equal within, different between.
  expect((await check(rewards([...sixteen([0, 0]), [1, 1]]))).verdict.passed).toBe(false);
});

test.each([
  ['an engine that cannot sample', new Error('no samples here'), 'could not be sampled: no samples here'],
  ['an environment in Python', undefined, 'tried when it starts'],
  ['tasks that cannot be rolled out', [[], []], 'No task was rolled out'],
])('%s is a note, and keeps no run from starting', async (_, sampled, message) => {
  const { verdict, steps } = await check(rewards(sampled));
  expect(verdict).toEqual({ passed: true });
  expect(steps[0]).toMatchObject({ state: 'skipped', message: expect.stringContaining(message) as string });
});

test('a few equal tasks refuse nothing', async () => {
  expect((await check(rewards([[0, 0]]))).steps).toMatchObject([{ state: 'warned' }]);
});

test('a temperature other than 1 is a warning', async () => {
  expect((await check([createSettingsCheck()])).steps).toMatchObject([{ state: 'passed' }]);
  const { verdict, steps } = await check([createSettingsCheck()], withRecipe({ env: { temperature: 0.6 } }));
  expect(verdict).toEqual({ passed: true });
  expect(steps[0]).toMatchObject({ state: 'warned', message: expect.stringContaining('temperature 0.6') as string });
});

test('a teacher that cannot teach is refused with the reason, and equal rewards do not matter beside one that can', async () => {
  const teacher = (problem?: string): PreflightCheck[] => [
    createTeacherCheck({
      tryTeacher: async () => {
        if (problem !== undefined) throw new Error(problem);
      },
    }),
  ];
  const distils = (more: object = {}): TrainingRun => withRecipe({ tinker: { teacher: { model: 'big' }, ...more } });
  expect((await check(teacher('is not asked'))).steps).toMatchObject([{ name: 'teacher', state: 'skipped' }]);
  expect((await check(teacher('is not asked'), distils({ distill_coefficient: 0 }))).steps).toMatchObject([
    { state: 'skipped' },
  ]);
  expect((await check(teacher(), distils())).steps).toMatchObject([{ state: 'passed' }]);
  const { verdict } = await check(teacher('big has another vocabulary.'), distils());
  expect(verdict.passed ? '' : verdict.reason).toContain('(teacher): big has another vocabulary.');
  expect((await check(rewards(sixteen([0, 0])), distils())).steps).toMatchObject([
    { name: 'rewards', state: 'skipped' },
  ]);
  expect((await check(rewards(sixteen([0, 0])), distils({ distill_reward: true }))).verdict.passed).toBe(false);
});

test('a template that leaves out the tools of the environment is refused with its name, unless it is told', async () => {
  const template = (lines: readonly string[], problem: string | undefined): PreflightCheck[] => [
    createTemplateCheck({ findTools: checksOf(lines).findTools, findProblem: async () => problem }),
  ];
  const offering = [...LINES, 'offers tools'];
  const problem = 'the chat template of tiny leaves out tools';
  expect((await check(template(LINES, problem))).steps).toMatchObject([{ state: 'skipped' }]);
  expect((await check(template(offering, undefined))).steps).toMatchObject([{ state: 'passed' }]);
  const { verdict } = await check(template(offering, problem));
  expect(verdict.passed ? '' : verdict.reason).toContain('and the chat template of tiny leaves out tools.');
  const told = await check(template(offering, problem), withRecipe({ tinker: { allow_dropped_tools: true } }));
  expect(told).toMatchObject({ verdict: { passed: true }, steps: [{ name: 'template', state: 'warned' }] });
});
