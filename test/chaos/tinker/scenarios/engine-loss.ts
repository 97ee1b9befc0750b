import { createTinkerClient, TinkerError } from '@lachesis/tinker';
import type { PassResult, TrainingClient } from '@lachesis/tinker';
import type { Engine } from '@lachesis/tinker/engine';

import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { tokensOf } from '../load/operation-key.ts';

const TIMEOUT_MS = 3_000;
const GRACE_MS = 1_500;
const RESTART_MS = 60_000;
const RATE = 1e-2;
/** What an interrupted and an uninterrupted run may differ by. */
const CLOSE = 1e-4;
const tokens = tokensOf(1);
const DATUM = { tokens, inputs: { target_tokens: tokens, weights: new Float32Array(tokens.length).fill(1) } };

/** The engine is killed in the middle of a run and started again; training goes on from what was saved. */
export async function runEngineLoss(
  context: ScenarioContext,
  { engine, runDirectory }: { engine: Engine; runDirectory: string },
): Promise<void> {
  const service = await createTinkerClient({ baseUrl: engine.url }).connect();
  context.defer(() => service.close({ leavesModels: true }));
  const training = await service.createTraining({ baseModel: engine.modelDirectory, rank: 8 });
  await step(training, RESTART_MS);
  const { path } = await training.saveState('kept');
  const uninterrupted = await step(training, RESTART_MS);

  const ends = await loseEngine(training, engine);
  const good = ends.filter(({ isTyped, isTold, lateMs }) => isTyped && isTold && lateMs <= GRACE_MS);
  const latest = Math.max(...ends.map(({ lateMs }) => lateMs));
  for (const { message } of ends) context.log(message);
  context.report({
    name: 'skyrl killed in mid-run',
    figure: `${good.length} of ${ends.length} calls end with a typed error that says what to do, the last ${Math.round(latest)} ms after its deadline`,
    bar: `all, at least 3, ≤ ${GRACE_MS} ms late`,
    ok: ends.length >= 3 && good.length === ends.length,
    onlyByClock: ends.length >= 3 && ends.every(({ isTyped, isTold }) => isTyped && isTold),
  });

  const port = Number(new URL(engine.url).port);
  const restarted = await startEnginePeer({ port, runDirectory, model: { directory: engine.modelDirectory } });
  context.defer(() => restarted.stop());
  const stale = await training.forward([DATUM], { timeoutMs: RESTART_MS }).catch((error: unknown) => error);
  context.log(String(stale));
  const resumed = await service.createTrainingFromState(path, { timeoutMs: RESTART_MS });
  const next = await step(resumed, RESTART_MS);
  const apart = Math.max(...next.map((value, index) => Math.abs(value - (uninterrupted[index] ?? Number.NaN))));
  const saysWhat = TinkerError.isInstance(stale) && stale.message.includes('createTrainingFromState');
  context.report({
    name: 'skyrl after the restart',
    figure: `the lost model ${saysWhat ? 'says what to do' : 'does not say what to do'}; the next step from the saved state is ${apart.toExponential(1)} from that of the uninterrupted run`,
    bar: `says what to do, ≤ ${CLOSE}`,
    ok: saysWhat && apart <= CLOSE,
  });
}

/** One step, and the log probabilities after it. */
async function step(training: TrainingClient, timeoutMs: number): Promise<number[]> {
  const wait = { timeoutMs };
  const pass = training.forwardBackward([DATUM], { ...wait, loss: 'cross_entropy' });
  const optim = training.optimStep({ learningRate: RATE }, wait);
  const after = training.forward([DATUM], wait);
  const [, , { logprobs }]: [unknown, unknown, PassResult] = await Promise.all([pass, optim, after]);
  return logprobs.flatMap((each) => [...each]);
}

interface End {
  readonly isTyped: boolean;
  readonly isTold: boolean;
  readonly lateMs: number;
  readonly message: string;
}

/** Calls a step and kills the engine while it is under way; resolves to how the calls ended that did not succeed. */
async function loseEngine(training: TrainingClient, engine: Engine): Promise<End[]> {
  const startedAt = performance.now();
  const wait = { timeoutMs: TIMEOUT_MS };
  const pass = training.forwardBackward([DATUM], { ...wait, loss: 'cross_entropy' });
  const calls = [pass, training.optimStep({ learningRate: RATE }, wait), training.forward([DATUM], wait)];
  const watched = calls.map(async (call): Promise<End | undefined> => {
    try {
      await call;
      return undefined;
    } catch (error) {
      return {
        isTyped: TinkerError.isInstance(error),
        isTold: String(error).includes('createTrainingFromState'),
        lateMs: Math.max(0, performance.now() - startedAt - TIMEOUT_MS),
        message: String(error),
      };
    }
  });
  await pass.submitted;
  // The group that was started for it: API and engine, as a machine that loses its power.
  process.kill(-engine.pid, 'SIGKILL');
  return (await Promise.all(watched)).filter((end) => end !== undefined);
}
