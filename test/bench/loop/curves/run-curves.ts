import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { openLoop } from '../../../e2e/grpo-tiny/open-loop.ts';
import { readMetrics } from '../../../e2e/grpo-tiny/read-metrics.ts';
import { startDigitsEnvironment } from '../../../peers/atropos/start-digits-environment.ts';
import { startRunApi } from '../../../peers/atropos/start-run-api.ts';
import { startTinkerTrainer } from '../../../peers/atropos/start-tinker-trainer.ts';

const DIGITS = fileURLToPath(new URL('../../../../packages/environments/src/digits/digits.ts', import.meta.url));

export interface CurveOptions {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  /** What both begin with. */
  readonly initialState: string;
  readonly steps: number;
  readonly seed: number;
  readonly learningRate: number;
  readonly scratch: string;
  readonly timeoutMs: number;
}

/** The mean reward of each step, the first one first. */
export type Curve = readonly number[];

/** The Python way: run-api, an environment of atroposlib, and the trainer of the official client. */
export async function runTheirCurve(options: CurveOptions): Promise<Curve> {
  const { steps, scratch, modelDirectory: tokenizer } = options;
  const curve: number[] = [];
  await using api = await startRunApi({ cwd: scratch });
  await using trainer = await startTinkerTrainer({
    engine: options.engineUrl,
    model: tokenizer,
    api: api.url,
    tokenizer,
    batchSize: 64,
    maxTokens: 64,
    rank: 8,
    learningRate: options.learningRate,
    steps,
    cwd: scratch,
    initialState: options.initialState,
    probes: true,
    onStep: (metrics) => curve.push(metrics['reward/mean'] ?? Number.NaN),
  });
  await trainer.ready;
  await using environment = await startDigitsEnvironment({
    url: api.url,
    inferenceUrl: trainer.url,
    tokenizer,
    batchSize: 64,
    // It must not end before the trainer does.
    steps: steps + 10,
    cwd: scratch,
  });
  const timer = setTimeout(() => trainer.process.signal('SIGKILL'), options.timeoutMs);
  await Promise.race([trainer.process.exited, environment.exited]);
  clearTimeout(timer);
  if (curve.length < steps) {
    throw new Error(
      `the Python way made ${curve.length} steps:\n${trainer.process.logs()}\n${environment.logs().slice(-3_000)}`,
    );
  }
  return curve;
}

/** Ours: the three commands. */
export async function runOurCurve(options: CurveOptions): Promise<Curve> {
  const home = join(options.scratch, `home-${options.learningRate}`);
  await mkdir(home, { recursive: true });
  const run = 'curve';
  await using loop = await openLoop({
    engineUrl: options.engineUrl,
    home,
    run,
    environment: DIGITS,
    sharedFlags: ['--env.total_steps', String(options.steps)],
    trainerFlags: [
      ...['--tinker.initial_state', options.initialState, '--tinker.seed', String(options.seed)],
      ...['--tinker.learning_rate', String(options.learningRate)],
    ],
    environmentFlags: ['--env.seed', String(options.seed)],
  });
  for (const station of ['trajectory API', 'trainer', 'environment'] as const) await loop.start(station);
  const until = performance.now() + options.timeoutMs;
  for (;;) {
    const curve = (await readMetrics(join(home, 'runs', run, 'metrics.jsonl'))).map(
      ({ 'reward/mean': reward = Number.NaN }) => reward,
    );
    if (curve.length >= options.steps) return curve;
    if (performance.now() > until) {
      throw new Error(`ours made ${curve.length} steps:\n${loop.logs('trainer')}\n${loop.logs('environment')}`);
    }
    await sleep(100);
  }
}
