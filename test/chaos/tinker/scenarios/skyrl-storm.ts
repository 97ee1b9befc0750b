import { createTinkerClient } from '@lachesis/tinker';
import type { TrainingClient } from '@lachesis/tinker';
import type { Engine } from '@lachesis/tinker/engine';

import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { createRandom } from '../../simulation/random.ts';
import { findWireGaps } from '../judge/find-wire-gaps.ts';
import { readSkyrlRecord } from '../judge/read-skyrl-record.ts';
import { CallLog } from '../load/call-log.ts';
import { createOperations } from '../load/operations.ts';
import { runModel } from '../load/run-model.ts';
import { startStormProxy } from '../proxy/start-storm-proxy.ts';
import { createStorm } from '../proxy/storm.ts';
import { readSeed } from './read-seed.ts';
import { reportStorm } from './report-storm.ts';

const OPERATIONS = { short: 60, full: 600 } as const;
/** The engine has seven places; one is left for states that are loaded. */
const MODELS = 4;
const LOADS = 2;
/** The engine takes a tenth of a second to look at a job, and shares two cores with what else runs. */
const TIMEOUT_MS = 6_000;
const LOAD_TIMEOUT_MS = 20_000;
/** A new shape is compiled once. */
const WARM_UP_MS = 120_000;

/** The storm on the engine that really trains: it takes a repeated number for the same request, and saves and loads once. */
export async function runSkyrlStorm(
  context: ScenarioContext,
  { engine, runDirectory }: { engine: Engine; runDirectory: string },
): Promise<void> {
  const seed = readSeed();
  const random = createRandom(seed);
  const proxy = await startStormProxy({ port: Number(new URL(engine.url).port), decide: () => ({ kind: 'pass' }) });
  context.defer(() => proxy.end());
  const service = await createTinkerClient({ baseUrl: proxy.url, random: random.next }).connect();
  const log = new CallLog();
  const lanes: ReturnType<typeof createOperations>[] = [];
  for (let model = 0; model < MODELS; model += 1) {
    const training = await service.createTraining({ baseModel: engine.modelDirectory, rank: 8 });
    const warm = createOperations({ training, log, timeoutMs: WARM_UP_MS });
    log.beginBurst();
    await Promise.all([warm.forwardBackward(), warm.optimStep(), warm.forward(), warm.save()]);
    lanes.push({ ...createOperations({ training, log, timeoutMs: TIMEOUT_MS }), saved: warm.saved });
  }
  const sampler = await service.createSampler({ baseModel: engine.modelDirectory });
  await createOperations({ training: lanes[0]!.training, log, timeoutMs: WARM_UP_MS }).sample(sampler);

  const least = context.full ? OPERATIONS.full : OPERATIONS.short;
  const count = Math.ceil((least - log.size - LOADS) / MODELS);
  proxy.decide = createStorm(random);
  const startedAt = performance.now();
  await Promise.all(lanes.map((operations) => runModel({ operations, sampler, count, random, loadsAnytime: false })));
  const opened: TrainingClient[] = [];
  for (const { mark, path } of lanes.flatMap(({ saved }) => saved).slice(0, LOADS)) {
    log.beginBurst();
    const work = service.createTrainingFromState(path, { timeoutMs: LOAD_TIMEOUT_MS }).then((training) => {
      opened.push(training);
      return undefined;
    });
    await log.watch({ key: `load_weights:${mark}`, modelId: 'a fresh one', work, timeoutMs: LOAD_TIMEOUT_MS });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  proxy.decide = () => ({ kind: 'pass' });
  await service.close();

  const calls = await log.all();
  const executions = await readSkyrlRecord(runDirectory);
  reportStorm(context, {
    ...{ name: 'skyrl', proxy, calls, executions, hasNumbers: false, least, seconds, seed },
    more: findWireGaps(proxy.passages),
  });
}
