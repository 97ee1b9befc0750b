import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../config/config-error.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { countIds, toy, toyPolicy } from '../testing/toy-environment.fixture.ts';
import { runEnvironmentCommand, type EnvironmentMode } from './run-environment-command.ts';
import { textOf } from '../policy/read-completions.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lachesis-env-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(mode: EnvironmentMode, argv: string[], policy: Policy = toyPolicy) {
  let [out, err] = ['', ''];
  await runEnvironmentCommand({
    definition: toy,
    mode,
    argv,
    variables: {},
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    policy,
    nextId: countIds(),
  });
  return { out, err };
}

const groupFlags = (name: string) => ['--env.data_path_to_save_groups', path.join(folder, name)];

test('process writes groups with the names of the wire, a page, and its configuration; the same seed the same file', async () => {
  const argv = ['--env.total_steps', '5', '--env.group_size', '3', '--env.max_n_completions', '2'];
  const { out, err } = await run('process', [...argv, ...groupFlags('a.jsonl')]);
  await run('process', [...argv, ...groupFlags('b.jsonl')]);
  const text = await readFile(path.join(folder, 'a.jsonl'), 'utf8');
  expect(text).toBe(await readFile(path.join(folder, 'b.jsonl'), 'utf8'));
  expect(out).toContain('5 groups in');
  expect(err).toMatch(/env\.group_size: 3 +# flag/);
  const groups = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown[]>);
  expect(groups).toHaveLength(5);
  expect(Object.keys(groups[0]!)).toEqual([
    ...['tokens', 'masks', 'scores', 'advantages', 'ref_logprobs', 'messages', 'generation_params'],
    ...[
      'inference_logprobs',
      'overrides',
      'group_overrides',
      'images',
      'env_id',
      'distill_token_ids',
      'distill_logprobs',
    ],
    ...['rollout_ids', 'fork_parents'],
  ]);
  expect(new Set(groups[0]!['rollout_ids']).size).toBe(3);
  expect(groups[0]!['fork_parents']).toEqual([null, null, null]);
  expect([groups[0]!['tokens'], groups[0]!['masks'], groups[0]!['messages']].map((field) => field!.length)).toEqual([
    3, 3, 3,
  ]);
  expect(text).toMatch(/"scores":\[[01]\.0,[01]\.0,[01]\.0\]/);
  expect(await readFile(path.join(folder, 'a.html'), 'utf8')).toContain('Is ');
  expect(await readFile(path.join(folder, 'a.jsonl.config.yaml'), 'utf8')).toContain('group_size: 3');

  await run('process', [...argv, ...groupFlags('a.jsonl')]);
  expect(await readdir(folder)).toContain('a_1.jsonl');
});

test('process keeps groups of one and of equal scores, and says when there is only text', async () => {
  const textOnly: Policy = {
    complete: async (request) =>
      (await createScriptedPolicy(() => 'neither').complete(request)).map((completion) => ({
        ...completion,
        promptTokens: new Int32Array(),
        tokens: new Int32Array(),
        logprobs: new Float32Array(),
      })),
  };
  const argv = ['--env.total_steps', '2', '--env.group_size', '1', ...groupFlags('t.jsonl')];
  const { err } = await run('process', argv, textOnly);
  expect(err).toContain('2 groups are text only');
  const [line] = (await readFile(path.join(folder, 't.jsonl'), 'utf8')).split('\n');
  expect(JSON.parse(line!)).toMatchObject({ tokens: [[]], masks: [[]], scores: [0] });
});

test('a page shows the text of a model as text', async () => {
  const policy = createScriptedPolicy(() => '<script>alert(1)</script>');
  await run('process', ['--env.total_steps', '1', '--env.group_size', '1', ...groupFlags('x.jsonl')], policy);
  const page = await readFile(path.join(folder, 'x.html'), 'utf8');
  expect(page).not.toContain('<script>');
  expect(page).toContain('&lt;script&gt;');
});

test('evaluate writes metrics, samples and a page, and failures have no score', async () => {
  const policy = createScriptedPolicy(({ messages }) => {
    if (textOf(messages[0]!.content).includes('-3')) throw new Error('down');
    return 'no';
  });
  const target = path.join(folder, 'evals');
  const { out } = await run('evaluate', ['--env.data_dir_to_save_evals', target], policy);
  expect(out).toContain('mean reward');
  const { results } = JSON.parse(await readFile(path.join(target, 'metrics.json'), 'utf8')) as {
    results: { all: Record<string, number> };
  };
  expect(results.all).toMatchObject({
    'eval/mean_reward': 0.5,
    'eval/percent_correct': 0.5,
    'eval/failure_rate': 1 / 3,
  });
  const samples = (await readFile(path.join(target, 'samples.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(samples.map((line) => (JSON.parse(line) as { score: number | null }).score)).toEqual([1, 0, null]);
  expect(await readFile(path.join(target, 'samples.html'), 'utf8')).toContain('failed');
});

test('several samples of an item give pass@k, and none are drawn at temperature 0', async () => {
  const folders = ['--env.data_dir_to_save_evals', path.join(folder, 's')];
  const { out } = await run('evaluate', ['--samples', '8', '--env.eval_temperature', '1', '--json', ...folders]);
  const { models } = JSON.parse(out.trimEnd().split('\n').at(-1)!) as {
    models: { samples: number; items: { samples: number; correct: number }[]; metrics: Record<string, number> }[];
  };
  expect(models[0]!.samples).toBe(24);
  expect(models[0]!.items.map(({ samples }) => samples)).toEqual([8, 8, 8]);
  const correct = models[0]!.items.reduce((sum, item) => sum + item.correct, 0);
  expect(correct).toBeGreaterThan(8);
  expect(models[0]!.metrics['eval/pass@1']).toBeCloseTo(correct / 24);
  expect((await readFile(path.join(folder, 's', 'items.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(3);
  await expect(run('evaluate', ['--samples', '8', ...folders])).rejects.toThrow(/the same reply 8 times/);
});

test('models are compared item by item', async () => {
  const { out } = await run('evaluate', [
    '--models',
    'a,b',
    '--json',
    '--env.data_dir_to_save_evals',
    path.join(folder, 'm'),
  ]);
  const last = JSON.parse(out.trimEnd().split('\n').at(-1)!) as {
    models: { model: string }[];
    differences: { items: number; left: string }[];
  };
  expect(last.models.map(({ model }) => model)).toEqual(['a', 'b']);
  expect(last.differences).toMatchObject([{ left: 'a', right: 'b', items: 3, difference: 0 }]);
  expect((await readdir(path.join(folder, 'm'))).toSorted()).toEqual(['a', 'b']);
});

test('help lists own settings first; mistakes are refused with what was meant', async () => {
  const { out } = await run('serve', ['--help']);
  expect(out.indexOf('--env.largest')).toBeLessThan(out.indexOf('--env.group_size'));
  await expect(run('serve', ['--env.largst', '3'])).rejects.toThrow(/Did you mean env.largest/);
  await expect(run('serve', ['--jsn'])).rejects.toThrow(/Did you mean --json/);
  await expect(run('serve', ['--env.group_size', '300'])).rejects.toThrow(/no batch could hold a group/);
});

test('without a server nothing is guessed', async () => {
  const command = runEnvironmentCommand({ definition: toy, mode: 'evaluate', argv: [], variables: {}, err: () => {} });
  await expect(command).rejects.toThrow(/No inference server is configured[\s\S]*8001[\s\S]*Ollama[\s\S]*OpenRouter/);
  const wrong = ['--openai.base_url', 'https://openrouter.ai/api/v1', '--openai.server_type', 'vllm'];
  const refused = runEnvironmentCommand({
    definition: toy,
    mode: 'evaluate',
    argv: wrong,
    variables: {},
    err: () => {},
  });
  await expect(refused).rejects.toSatisfy(ConfigError.isInstance);
});
