import { createControlClient, type ControlClient } from '@lachesis/sdk';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startControlServer } from '../../kit/start-control-server.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

const WAIT_MS = 240_000;
/** Less than a step takes. */
const LOOK_EVERY_MS = 100;
const NAMED_BY = 3;
const SAMPLE_SECONDS = 10;

/** The README's toy without its warm-up: it earns nothing, for ever. */
export async function showLiveRuns(context: ScenarioContext): Promise<void> {
  const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
  context.defer(() => engine.stop());

  const strict = await openControl(context, engine.url, {});
  const refused = await startRun(strict.client);
  const { reason } = await waitFor(context, strict.client, refused, ({ status }) => status === 'failed');
  context.report({
    name: 'a run whose reward cannot vary',
    figure: reason ?? 'no reason',
    bar: 'refused before its start, with the command of a warm-up',
    ok:
      /earned 0 to 0, 0 on average/.test(reason ?? '') &&
      /lachesis train warm-up .*--environment digits/.test(reason ?? ''),
  });
  const seconds = await readSampleSeconds(strict.home, refused);
  context.report({
    name: 'sampling the model on 16 tasks',
    figure: `${seconds.toFixed(1)} s`,
    bar: `≤ ${SAMPLE_SECONDS} s`,
    ok: seconds <= SAMPLE_SECONDS,
  });
  await strict.stop();

  const told = await openControl(context, engine.url, { allow_flat_reward: true });
  const run = await startRun(told.client);
  const { why, step } = await waitForCause(told.client, run);
  const [first] = why.learning ?? [];
  context.report({
    name: 'no reward, live',
    figure: `${why.cause}, ${first?.cause ?? 'no cause'} at step ${step}: ${first?.command ?? ''}`,
    bar: `not-learning, no-reward by step ${NAMED_BY}, with the command of a warm-up; "moves" is not said`,
    ok:
      step <= NAMED_BY &&
      why.cause === 'not-learning' &&
      first?.cause === 'no-reward' &&
      first.command.startsWith('lachesis train warm-up ') &&
      !/\bmoves\b/.test(why.message),
  });
  await told.client.stopRun(run);
  // The processes of a run outlive their server.
  await waitFor(context, told.client, run, ({ status }) => status === 'stopped');
}

async function openControl(
  context: ScenarioContext,
  engineUrl: string,
  tinker: Readonly<Record<string, unknown>>,
): Promise<{ client: ControlClient; home: string; stop(): Promise<void> }> {
  const home = await context.scratch();
  const recipe = join(home, 'toy.yaml');
  const [apiPort, trainerPort] = [await findFreePort(), await findFreePort()];
  // JSON is YAML.
  const values = {
    env: {
      ...{ group_size: 16, batch_size: 64, max_token_length: 64, max_num_workers: 4, max_batches_offpolicy: 1 },
      ...{ total_steps: 1_000, steps_per_eval: 0, rollout_server_url: `http://127.0.0.1:${apiPort}` },
    },
    openai: [{ base_url: `http://127.0.0.1:${trainerPort}/v1`, api_key: 'x' }],
    tinker: {
      ...{ base_model: 'engine', lora_rank: 8, learning_rate: 2e-3, max_token_trainer_length: 128, mode: 'sync' },
      ...{ save_checkpoint_interval: 0, ...tinker },
    },
  };
  await writeFile(recipe, JSON.stringify(values));
  const { url, process } = await startControlServer({
    ...{ home, flags: ['--recipe', recipe] },
    env: { TINKER_BASE_URL: engineUrl, TINKER_API_KEY: undefined },
  });
  const stop = async (): Promise<void> => void (await process.stop({ graceMs: 20_000 }));
  context.defer(stop);
  return { client: createControlClient({ url }), home, stop };
}

async function startRun(client: ControlClient): Promise<string> {
  await client.selectEnvironment('digits');
  return (await client.startRun()).run_id;
}

type Status = Awaited<ReturnType<ControlClient['readRun']>>;

async function waitFor(
  context: ScenarioContext,
  client: ControlClient,
  runId: string,
  isThere: (status: Status) => boolean,
): Promise<Status> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const status = await client.readRun(runId);
    if (isThere(status)) return status;
    const isOver = status.status === 'failed' || status.status === 'stopped' || performance.now() > until;
    if (isOver) throw new Error(`run ${runId} is ${status.status} at step ${status.metrics.step}: ${status.reason}`);
    context.log(`${runId} ${status.status}, step ${status.metrics.step}`);
    await sleep(1_000);
  }
}

/** The first cause that is named, and the step at which the run is then. */
async function waitForCause(
  client: ControlClient,
  runId: string,
): Promise<{ why: Awaited<ReturnType<ControlClient['explainRun']>>; step: number }> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const why = await client.explainRun(runId);
    if ((why.learning ?? []).length > 0) return { why, step: (await client.readRun(runId)).metrics.step };
    if (performance.now() > until) throw new Error(`nothing is named of run ${runId}: ${why.message}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function readSampleSeconds(home: string, runId: string): Promise<number> {
  const { steps } = JSON.parse(await readFile(join(home, 'runs', runId, 'preflight.json'), 'utf8')) as {
    steps: { name: string; seconds: number }[];
  };
  return steps.find(({ name }) => name === 'rewards')?.seconds ?? Number.NaN;
}
