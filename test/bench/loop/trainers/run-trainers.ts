import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../../kit/find-free-port.ts';
import { startProcess } from '../../../kit/start-process.ts';
import type { RunningProcess } from '../../../kit/start-process.ts';
import { waitForHttp } from '../../../kit/wait-for-http.ts';
import { startRunApi } from '../../../peers/atropos/start-run-api.ts';
import { startServer } from '../../../peers/atropos/start-server.ts';
import { startTinkerTrainer } from '../../../peers/atropos/start-tinker-trainer.ts';
import { startFixedEngine } from '../engine/start-engine.ts';
import type { EngineDelays } from '../engine/engine-options.ts';
import { measureSteps } from './measure-steps.ts';
import type { StepTimes } from './measure-steps.ts';
import { batchSizeOf, fillQueue } from './workload.ts';
import type { Workload } from './workload.ts';

const CLI = fileURLToPath(new URL('../../../../packages/cli/dist/main.js', import.meta.url));
const DELAYS: EngineDelays = { passMs: 300, optimizerMs: 20, saveMs: 20, sampleMs: 20 };
/** The first ones load code and open connections. */
const SKIPPED = 2;
const RUN_TIMEOUT_MS = 60_000;

export interface RunOptions {
  readonly workload: Workload;
  readonly steps: number;
  readonly scratch: string;
  readonly tokenizer: string;
}

/** The trainer of the official client, fed by the original trajectory API or by ours. */
export async function runTheirs(options: RunOptions & { api: 'original' | 'ours' }): Promise<readonly StepTimes[]> {
  const { workload, steps } = options;
  await using engine = await startFixedEngine(DELAYS);
  await using api = options.api === 'ours' ? await startServer() : await startRunApi({ cwd: options.scratch });
  await fillQueue(api.url, workload, steps);
  await using trainer = await startTinkerTrainer({
    engine: engine.url,
    model: 'bench/model',
    api: api.url,
    tokenizer: options.tokenizer,
    batchSize: batchSizeOf(workload),
    maxTokens: 9000,
    rank: 32,
    learningRate: 4e-5,
    steps,
    cwd: options.scratch,
  });
  await waitForEnd(trainer.process);
  return measureSteps(await engine.takeJobs(), SKIPPED);
}

/** Ours: trajectory API, and trainer with inference, as a user starts them. */
export async function runOurs(options: RunOptions & { mode: 'async' | 'sync' }): Promise<readonly StepTimes[]> {
  const { workload, steps } = options;
  await using engine = await startFixedEngine(DELAYS);
  await using api = await startServer();
  await fillQueue(api.url, workload, steps);
  const port = await findFreePort();
  const recipe = join(options.scratch, `recipe-${port}.yaml`);
  await writeFile(
    recipe,
    JSON.stringify({
      env: {
        group_size: workload.groupSize,
        batch_size: batchSizeOf(workload),
        max_token_length: 8192,
        total_steps: steps,
        steps_per_eval: 0,
        rollout_server_url: api.url,
        use_wandb: false,
        // The groups are made up: nothing was sampled by the policies they are trained on.
        max_batches_offpolicy: steps,
      },
      openai: [{ base_url: `http://127.0.0.1:${port}/v1`, api_key: 'x' }],
      tinker: { base_model: 'bench/model', mode: options.mode, save_checkpoint_interval: 0, kl_alarm: 1e9 },
    }),
  );
  const home = join(options.scratch, `home-${port}`);
  await using trainer = await startProcess({
    command: process.execPath,
    args: [
      ...[CLI, 'serve', 'trainer', '--config', recipe, '--host', '127.0.0.1', '--port', String(port)],
      ...['--home', home, '--engine-url', engine.url, '--tokenizer', options.tokenizer, '--log-level', 'warn'],
    ],
    name: 'lachesis serve trainer',
    env: { TINKER_API_KEY: 'tml-bench', TINKER_BASE_URL: undefined, DATABASE_URL: undefined },
  });
  const statusUrl = `http://127.0.0.1:${port}/v1/trainer`;
  await waitForHttp({ url: statusUrl, process: trainer, timeoutMs: 30_000 });
  const readStatus = async (): Promise<{ state: string; detail: string }> =>
    (await (await fetch(statusUrl)).json()) as { state: string; detail: string };
  await waitFor(async () => {
    const { state, detail } = await readStatus();
    if (state === 'failed') throw new Error(`our trainer failed: ${detail}\n${trainer.logs()}`);
    return state === 'finished';
  }, trainer);
  return measureSteps(await engine.takeJobs(), SKIPPED);
}

async function waitFor(isTrue: () => Promise<boolean>, process: RunningProcess): Promise<void> {
  const until = performance.now() + RUN_TIMEOUT_MS;
  while (!(await isTrue())) {
    if (!process.isRunning() || performance.now() > until) {
      throw new Error(`${process.name} did not get there:\n${process.logs()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function waitForEnd(process: RunningProcess): Promise<void> {
  const timer = setTimeout(() => process.signal('SIGKILL'), RUN_TIMEOUT_MS);
  const { code } = await process.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${process.name} failed:\n${process.logs()}`);
}
