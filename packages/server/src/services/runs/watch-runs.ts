import {
  listOpenRuns,
  readMetricSeries,
  readSettings,
  writeSettings,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import type { Logger } from 'pino';
import type { ModelPrice } from './config/estimate-run.ts';
import { EMPTY_METER, judgeLimits, readMeter, type MeteredLimits, type RunMeter } from './config/meter-run.ts';
import { findLoopRun } from './describe-run.ts';
import { readRunDetails } from './details.ts';
import type { Why } from './why/create-why.ts';
import { valueOf, type RunFacts } from './why/run-facts.ts';

export interface WatchOptions {
  store: Store;
  why: Why;
  findPrice: (run: TrainingRun) => Promise<ModelPrice | undefined>;
  stopRun: (run: TrainingRun, reason: string) => Promise<unknown>;
  log: Logger;
  /** How often runs with a limit are looked at. */
  everyMs?: number;
}

/** What a run uses between two looks is beyond its limit. */
const EVERY_MS = 1_000;
/** Runs without a limit are looked at less often: enough to say since when something lasts. */
const LOOKS_OF_OTHERS = 5;
const SCOPE = 'control:meter';

/** Looks at every open run now and then: notes how it moves, and ends it when it has used what it may. */
export function startRunWatch(options: WatchOptions): { stop(): Promise<void> } {
  const { store, why, log, everyMs = EVERY_MS } = options;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();

  let looks = 0;

  const look = async (): Promise<void> => {
    const open = await listOpenRuns({ store });
    const isForAll = looks % LOOKS_OF_OTHERS === 0;
    looks += 1;
    why.forgetOthers(new Set(open.map(({ runId }) => runId)));
    await Promise.all(
      open.map(async (run) => {
        const limits = limitsOf(run);
        if (limits === undefined && !isForAll) return;
        const facts = await why.observe(run);
        if (limits !== undefined) await watchLimits(options, { run, facts, limits });
      }),
    );
  };
  const again = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      turn = look()
        .catch((error: unknown) => log.warn({ err: error }, 'the runs could not be looked at'))
        .finally(again);
    }, everyMs);
    timer.unref();
  };
  again();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}

/** Undefined when nothing ends it, or it is being ended already. */
function limitsOf(run: TrainingRun): MeteredLimits | undefined {
  const { budget, max_tokens: tokens } = readRunDetails(run.details).estimate ?? {};
  const limits = { cost: budget ?? undefined, tokens: tokens ?? undefined };
  const hasOne = Object.values(limits).some((limit) => limit !== undefined);
  return hasOne && run.stopRequestedAt === null ? limits : undefined;
}

async function watchLimits(
  { store, findPrice, stopRun }: WatchOptions,
  { run, facts, limits }: { run: TrainingRun; facts: RunFacts; limits: MeteredLimits },
): Promise<void> {
  const place = { store, tenantId: run.tenantId, scope: SCOPE };
  const before = (await readSettings(place)).find(({ name }) => name === run.runId)?.value as RunMeter | undefined;
  const meter = readMeter(
    before ?? EMPTY_METER,
    valueOf(facts.inference)?.tokens,
    await countTrained(store, run, facts),
  );
  // If we die before it is written, the counters of the processes still hold what was used.
  await writeSettings({ ...place, settings: [{ name: run.runId, value: { ...meter }, origin: 'control server' }] });
  const reason = judgeLimits({ meter, price: await findPrice(run), limits });
  if (reason !== undefined) await stopRun(run, reason);
}

/** Tokens of the sequences that were trained on: a step has as many sequences as a batch. */
async function countTrained(store: Store, run: TrainingRun, { batchSize }: RunFacts): Promise<number> {
  const loop = await findLoopRun({ store, run });
  if (loop === undefined) return 0;
  const lengths = await readMetricSeries({ store, ...loop, series: 'train/sequence_length' });
  return Math.round(lengths.reduce((sum, { value }) => sum + (value ?? 0) * batchSize, 0));
}
