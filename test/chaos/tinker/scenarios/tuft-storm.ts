import { createTinkerClient } from '@lachesis/tinker';

import { startTuft } from '../../../peers/tuft/start-tuft.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { createRandom } from '../../simulation/random.ts';
import { readTuftRecord } from '../judge/read-tuft-record.ts';
import { CallLog } from '../load/call-log.ts';
import { createOperations } from '../load/operations.ts';
import { runModel } from '../load/run-model.ts';
import { startStormProxy } from '../proxy/start-storm-proxy.ts';
import { createStorm } from '../proxy/storm.ts';
import { readSeed } from './read-seed.ts';
import { reportStorm } from './report-storm.ts';

const OPERATIONS = { short: 1_000, full: 10_000 } as const;
/** Each model is a line of its own; together they keep the server busy while others wait out a fault. */
const MODELS = 50;
/** Some wait long enough to see most faults through, some give up with requests whose outcome is unknown. */
const TIMEOUTS_MS: readonly number[] = [6_000, 2_000];
const ABANDONED = 0.03;
const AFTER_MS = 10_000;

/** The storm on the strict server, which runs one request per number and refuses every other. */
export async function runTuftStorm(context: ScenarioContext): Promise<void> {
  const tuft = await startTuft();
  context.defer(async () => tuft[Symbol.asyncDispose]());
  const seed = readSeed();
  const random = createRandom(seed);
  const proxy = await startStormProxy({ port: Number(new URL(tuft.url).port), decide: () => ({ kind: 'pass' }) });
  context.defer(() => proxy.end());
  const client = createTinkerClient({ baseUrl: proxy.url, apiKey: tuft.apiKey, random: random.next });
  const service = await client.connect();
  context.defer(() => service.close({ leavesModels: true }));
  const log = new CallLog();
  const abandons = { share: ABANDONED, random };
  const lanes = await Promise.all(
    Array.from({ length: MODELS }, async (_, index) => {
      const training = await service.createTraining({ baseModel: tuft.baseModel, rank: 4 });
      const timeoutMs = TIMEOUTS_MS[index % TIMEOUTS_MS.length] ?? 0;
      return createOperations({ training, log, timeoutMs, abandons });
    }),
  );
  const sampler = await service.createSampler({ baseModel: tuft.baseModel });

  const least = context.full ? OPERATIONS.full : OPERATIONS.short;
  proxy.decide = createStorm(random);
  const startedAt = performance.now();
  await Promise.all(
    lanes.map((operations) => runModel({ operations, sampler, count: least / MODELS, random, loadsAnytime: true })),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  proxy.decide = () => ({ kind: 'pass' });
  log.beginBurst();
  // Whatever happened before, the next number must be the right one.
  const after = await Promise.all(
    lanes.map(({ training }) => createOperations({ training, log, timeoutMs: AFTER_MS }).forward()),
  );

  const calls = await log.all();
  const executions = await readTuftRecord({ ...tuft, passages: proxy.passages });
  reportStorm(context, { name: 'tuft', proxy, calls, executions, hasNumbers: true, least, seconds, seed });
  const good = after.filter(({ outcome }) => outcome === 'done').length;
  context.report({
    name: 'tuft numbers after the storm',
    figure: `${good} of ${MODELS} models go on with the number the server waits for`,
    bar: `${MODELS} of ${MODELS}`,
    ok: good === MODELS,
  });
}
