import type { OperationHandle } from '@lachesis/tinker';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineModel, TrainingEngine } from '../../../packages/server/src/services/training/engine/engine.ts';
import type { WatchedJournal } from '../../../packages/server/src/services/training/engine/watched-journal.ts';
import { FakeEngine } from '../../../packages/server/src/services/training/testing/fake-engine.fixture.ts';

export interface EngineDelays {
  readonly passMs: number;
  readonly optimizerMs: number;
  readonly saveMs: number;
}

/** An engine that computes nothing and takes a fixed time for everything, one job after another: what else passes is the loop's. */
export function createDelayedEngine(journal: WatchedJournal, delays: EngineDelays): TrainingEngine {
  const engine = new FakeEngine().connect(journal, () => undefined);
  let line: Promise<unknown> = Promise.resolve();
  const take = async <T>(work: Promise<T>, ms: number): Promise<T> => {
    const done = line.then(() => sleep(ms));
    line = done;
    const [result] = await Promise.all([work, done]);
    return result;
  };
  const delay = <T>(handle: OperationHandle<T>, ms: number): OperationHandle<T> =>
    Object.assign(take(handle, ms), { submitted: handle.submitted, requestId: handle.requestId });
  const slow = (model: EngineModel): EngineModel => ({
    ...model,
    forwardBackward: (datums, options) => delay(model.forwardBackward(datums, options), delays.passMs),
    optimStep: (params) => delay(model.optimStep(params), delays.optimizerMs),
    saveForSampler: (name) => take(model.saveForSampler(name), delays.saveMs),
  });
  return { ...engine, create: async () => slow(await engine.create()) };
}
