import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { askReplies } from './ask-replies.ts';
import type { Replies } from './ask-replies.ts';
import { drawCurve } from './draw-curve.ts';
import { openLoop } from './open-loop.ts';
import type { Loop, OpenLoopOptions, Station } from './open-loop.ts';
import { readMetrics } from './read-metrics.ts';
import type { StepMetrics } from './read-metrics.ts';

export interface RunGrpoOptions extends OpenLoopOptions {
  readonly title: string;
  /** Who is killed as soon as a step is told, and started again. */
  readonly kills?: readonly { readonly afterStep: number; readonly station: Station }[];
  /** Replies are asked for with this before the first step, after each kill and at the end. */
  readonly probe: { readonly prompt: string; readonly samples: number; readonly maxTokens: number };
  readonly bar?: number;
  /** Ends the run after a step of which this is true; else it ends after its last one. */
  readonly until?: (steps: readonly StepMetrics[]) => boolean;
  /** Where metrics, curve and replies are kept. */
  readonly output: string;
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
  /** A show that is interrupted does not wait for us: what still runs then is ended by this. */
  readonly defer: (cleanup: () => Promise<void>) => void;
}

export interface GrpoRun {
  readonly steps: readonly StepMetrics[];
  /** In the order in which they were asked for. */
  readonly replies: readonly Replies[];
  readonly seconds: number;
  readonly status: TrainerWord;
  /** Time of the processors in our three processes, those that were killed included. */
  readonly cpuSeconds: number;
  readonly ledger: Awaited<ReturnType<Loop['client']['ledger']>>;
  /** How the trainer came to its weights after it was killed. */
  readonly origins: readonly string[];
}

interface TrainerWord {
  readonly state: string;
  readonly detail: string;
  readonly step: number;
  readonly policy_version: number;
  readonly origin: string | null;
  readonly lost_steps: number;
  /** What samples are drawn from. */
  readonly weights_path: string | null;
}

const POLL_MS = 200;
/** From the end of an environment that has made its steps to the trainer's word that they are served. */
const LAST_STEP_MS = 60_000;
const ENDS: ReadonlySet<string> = new Set(['failed', 'finished', 'stopped']);

/** One training through three processes, from their start to the last look at what they left. */
export async function runGrpo(options: RunGrpoOptions): Promise<GrpoRun> {
  const startedAt = performance.now();
  const metricsFile = join(options.home, 'runs', options.run, 'metrics.jsonl');
  const replies: Replies[] = [];
  const origins: string[] = [];
  await using loop = await openLoop(options);
  options.defer(async () => loop[Symbol.asyncDispose]());
  const ask = async (): Promise<void> =>
    void replies.push(
      await askReplies({ ...options.probe, inferenceUrl: loop.inferenceUrl, token: loop.token, seed: 1 }),
    );
  let endedAt: number | undefined;
  /** An environment that has made its steps may be gone before the trainer says that it is; any other end is one too early. */
  const findEnded = (): string | undefined => {
    const ended = loop.findEnded();
    if (ended === undefined) return undefined;
    endedAt ??= performance.now();
    const { station, exit } = ended;
    if (station === 'environment' && exit.code === 0 && performance.now() - endedAt < LAST_STEP_MS) return undefined;
    return `the ${station} ended with ${exit.signal ?? `code ${exit.code}`} before the run did`;
  };
  const check = (status: TrainerWord | undefined): void => {
    if (status !== undefined && ENDS.has(status.state) && status.state !== 'failed') return;
    const isLate = performance.now() - startedAt > options.timeoutMs;
    const fault = isLate ? 'the run is late' : status?.state === 'failed' ? 'the run failed' : findEnded();
    if (fault === undefined) return;
    const said = status === undefined ? 'nothing' : `${status.state}, ${status.detail}`;
    const logs = (['trainer', 'environment', 'trajectory API'] as const).map(
      (station) => `--- ${station}\n${loop.logs(station).slice(-3_000)}`,
    );
    throw new Error(`${fault}; the trainer says ${said}\n${logs.join('\n')}`);
  };
  const waitForTrainer = async (isReady: (status: TrainerWord) => boolean): Promise<TrainerWord> => {
    for (;;) {
      const status = await readStatus(loop);
      check(status);
      if (status !== undefined && isReady(status)) return status;
      await sleep(POLL_MS);
    }
  };

  await loop.start('trajectory API');
  await loop.start('trainer');
  await waitForTrainer(({ state }) => state === 'training' || state === 'waiting');
  await ask();
  await loop.start('environment');

  const kills = [...(options.kills ?? [])];
  let told = 0;
  let status: TrainerWord | undefined;
  for (;;) {
    const steps = await readMetrics(metricsFile);
    for (const { step, 'reward/mean': reward = Number.NaN } of steps.slice(told)) {
      options.log(`step ${step}: reward ${reward.toFixed(3)}, ${seconds(startedAt).toFixed(0)} s`);
    }
    told = steps.length;
    const [next] = kills;
    if (next !== undefined && (steps.at(-1)?.step ?? 0) >= next.afterStep) {
      kills.shift();
      options.log(`kill -9: ${next.station}`);
      await loop.kill(next.station);
      await loop.start(next.station);
      if (next.station === 'trainer') {
        origins.push((await waitForTrainer(({ origin }) => origin !== null)).origin ?? '');
      }
      await ask();
      continue;
    }
    status = await readStatus(loop);
    check(status);
    if (status !== undefined && (ENDS.has(status.state) || options.until?.(steps) === true)) break;
    await sleep(POLL_MS);
  }
  await ask();
  await loop.end('environment');
  const ledger = await loop.client.ledger();
  const steps = await readMetrics(metricsFile);

  const curve = drawCurve({
    title: options.title,
    points: steps.map(({ step, 'reward/mean': reward = Number.NaN }) => ({ step, reward })),
    marks: (options.kills ?? []).map(({ afterStep, station }) => ({ step: afterStep, label: `kill -9 ${station}` })),
    ...(options.bar === undefined ? {} : { bar: options.bar }),
  });
  await mkdir(options.output, { recursive: true });
  await Promise.all([
    writeFile(join(options.home, 'runs', options.run, 'reward.svg'), curve),
    writeFile(join(options.output, 'reward.svg'), curve),
    writeFile(join(options.output, 'replies.json'), `${JSON.stringify(replies, null, 2)}\n`),
    copyFile(metricsFile, join(options.output, 'metrics.jsonl')),
  ]);
  const cpuSeconds = loop.cpuSeconds();
  return { steps, replies, seconds: seconds(startedAt), status, cpuSeconds, ledger, origins };
}

const seconds = (since: number): number => (performance.now() - since) / 1000;

/** Undefined while it is being started again. */
async function readStatus({ inferenceUrl, token }: Loop): Promise<TrainerWord | undefined> {
  try {
    const response = await fetch(`${inferenceUrl}/v1/trainer`, {
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
      signal: AbortSignal.timeout(10_000),
    });
    if (response.ok) return (await response.json()) as TrainerWord;
    await response.arrayBuffer();
    return undefined;
  } catch {
    // Nobody listens for a moment; how long is bounded by whoever asks.
    return undefined;
  }
}
