import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { findFreePort } from '../../kit/find-free-port.ts';
import { LACHESIS_FROM_SOURCES, type LachesisCommand } from '../../kit/lachesis-command.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import { startProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';
import { MODEL, type ChatServer } from './start-chat-server.ts';

const COMMAND_MS = 120_000;

/** What one way of using the server came to. */
export interface StoryEnd {
  readonly way: string;
  /** Rollouts, rows or calls that failed. */
  readonly failed: number;
  readonly all: number;
  /** What went wrong, in its own words. */
  readonly said: string;
}

interface Place {
  readonly server: ChatServer;
  readonly folder: string;
  /** What the environment is told that runs there. */
  readonly type?: string;
  /** What runs `lachesis`; the sources by default. */
  readonly lachesis?: LachesisCommand;
}

const clean = {
  ...{ DATABASE_URL: undefined, LACHESIS_TOKEN: undefined, OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined },
  ...{ OPENROUTER_API_KEY: undefined, TINKER_BASE_URL: undefined, TINKER_API_KEY: undefined },
};

async function run(place: Place, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const [program, ...words] = place.lachesis ?? LACHESIS_FROM_SOURCES;
  await using child = await startProcess({
    name: `lachesis ${args.slice(0, 2).join(' ')}`,
    command: program,
    args: [...words, ...args],
    cwd: place.folder,
    env: { ...clean, LACHESIS_HOME: join(place.folder, 'home') },
  });
  const timer = setTimeout(() => child.signal('SIGKILL'), COMMAND_MS);
  const { code } = await child.exited;
  clearTimeout(timer);
  return { code, said: child.logs() };
}

const serverFlags = ({ server, type = 'openai' }: Place): string[] => [
  ...['--openai.base_url', server.url, '--openai.model_name', MODEL, '--openai.server_type', type],
];

/** `lachesis env process`: every group must come with all its rollouts. */
export async function storyOfProcess(place: Place): Promise<StoryEnd> {
  const [groups, size] = [3, 4];
  const file = join(place.folder, 'groups.jsonl');
  const { code, said } = await run(place, [
    ...['env', 'process', 'gsm8k', ...serverFlags(place), '--env.total_steps', String(groups)],
    ...['--env.group_size', String(size), '--env.batch_size', String(size), '--env.data_path_to_save_groups', file],
  ]);
  const rows = code === 0 ? (await readFile(file, 'utf8')).trim().split('\n').length : 0;
  return { way: 'env process', failed: groups - Math.min(groups, rows), all: groups, said };
}

/** `lachesis env evaluate`: an item that failed is in the metrics. */
export async function storyOfEvaluation(place: Place): Promise<StoryEnd> {
  const all = 6;
  const folder = join(place.folder, 'evaluation');
  const { code, said } = await run(place, [
    ...['env', 'evaluate', 'gsm8k', ...serverFlags(place)],
    ...['--env.eval_size', String(all), '--env.data_dir_to_save_evals', folder],
  ]);
  const samples = code === 0 ? await readFile(join(folder, 'samples.jsonl'), 'utf8') : '';
  const scored = samples.split('\n').filter((line) => line.includes('"scored"')).length;
  return { way: 'env evaluate', failed: Math.max(0, all - scored), all, said };
}

/** `lachesis batch`: a row per prompt. */
export async function storyOfBatch(place: Place): Promise<StoryEnd> {
  const all = 4;
  const prompts = join(place.folder, 'prompts.jsonl');
  const lines = Array.from({ length: all }, (_, index) => JSON.stringify({ prompt: `What is ${index} + 4?` }));
  await writeFile(prompts, `${lines.join('\n')}\n`);
  const { code, said } = await run(place, [
    ...['batch', '--dataset_file', prompts, '--run_name', 'strict', '--batch_size', '2', '--num_workers', '2'],
    ...['--model', MODEL, '--base_url', place.server.url, '--distribution', 'terminal_only', '--max_attempts', '1'],
    '--keep_without_reasoning',
  ]);
  const file = join(place.folder, 'data', 'strict', 'trajectories.jsonl');
  const rows = code === 0 ? (await readFile(file, 'utf8')).trim().split('\n').length : 0;
  return { way: 'batch', failed: all - rows, all, said };
}

/** `rl_test_inference` over HTTP: steps, then prompts. */
export async function storyOfInferenceTest(place: Place): Promise<StoryEnd> {
  const control = await startControlServer({
    ...(place.lachesis === undefined ? {} : { lachesis: place.lachesis }),
    home: place.folder,
    flags: ['--no-token'],
    env: { ...clean, OPENAI_BASE_URL: place.server.url, OPENAI_API_KEY: 'sk-strict', OPENAI_MODEL: MODEL },
  });
  try {
    const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
      const reply = await fetch(`${control.url}${path}`, {
        ...(body === undefined
          ? {}
          : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(COMMAND_MS),
      });
      return (await reply.json()) as Record<string, unknown>;
    };
    await ask('/environments/gsm8k/select', {});
    let answer = await ask('/test/inference', { num_steps: 2, group_size: 3 });
    const until = performance.now() + COMMAND_MS;
    while (answer['status'] === 'running' && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      answer = await ask(`/test/inference/${String(answer['test_id'])}`);
    }
    const all = 6;
    const models = (answer['models'] ?? []) as { completions: number; failed: number }[];
    const answered = models.reduce((sum, { completions, failed }) => sum + completions - failed, 0);
    return { way: 'rl_test_inference', failed: Math.max(0, all - answered), all, said: JSON.stringify(answer) };
  } finally {
    await control.process.stop({ graceMs: 10_000 });
  }
}

/** The gateway in front of it: an unchanged app, whose own key goes on to the provider and into no record. */
export async function storyOfCapture(place: Place): Promise<StoryEnd> {
  const all = 3;
  const key = `sk-${'strict'.repeat(4)}`;
  const [program, ...words] = place.lachesis ?? LACHESIS_FROM_SOURCES;
  const port = await findFreePort();
  const home = join(place.folder, 'home');
  await using gateway = await startProcess({
    name: 'lachesis serve inference',
    command: program,
    args: [
      ...[...words, 'serve', 'inference', '--upstream-url', place.server.url],
      ...['--port', String(port), '--host', '127.0.0.1', '--home', home, '--no-token'],
    ],
    cwd: place.folder,
    env: clean,
  });
  const url = `http://127.0.0.1:${port}`;
  await waitForHttp({ url: `${url}/health`, process: gateway, timeoutMs: 60_000 });
  let answered = 0;
  for (let index = 0; index < all; index += 1) {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: `${index}?` }] }),
    });
    if (reply.ok) answered += 1;
    await reply.arrayBuffer();
  }
  const passed = place.server.calls.filter(({ authorization }) => authorization === `Bearer ${key}`).length;
  await gateway.stop({ graceMs: 10_000 });
  const { said } = await run(place, ['trajectories', 'list', '--json', '--home', home]);
  const recorded = said.match(/"trajectory_id"/g)?.length ?? 0;
  const isKeyKept = said.includes(key);
  const failed = Math.max(all - answered, all - passed, all - recorded) + (isKeyKept ? 1 : 0);
  return {
    way: 'capture',
    failed,
    all,
    said: `answered ${answered}, with the key ${passed}, recorded ${recorded}; ${said}`,
  };
}
