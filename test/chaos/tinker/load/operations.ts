import type { Datum, SamplingClient, TrainingClient } from '@lachesis/tinker';
import type { WaitOptions } from '../../../../packages/tinker/src/transport/deadline.ts';

import type { Random } from '../../simulation/random.ts';
import type { Call } from './call.ts';
import type { CallLog } from './call-log.ts';
import { learningRateOf, nameOf, readRateMark, tokensOf } from './operation-key.ts';

/** The operations of the load, each watched and each with its number inside. */
export interface Operations {
  forwardBackward(): Promise<Call>;
  forward(): Promise<Call>;
  optimStep(): Promise<Call>;
  save(): Promise<Call>;
  /** Loads a checkpoint that was saved; each may be loaded once. */
  load(saved: SavedState): Promise<Call>;
  sample(sampler: SamplingClient): Promise<Call>;
  /** Checkpoints the client was told of, and not loaded. */
  readonly saved: SavedState[];
  readonly log: CallLog;
  readonly training: TrainingClient;
}

export interface SavedState {
  readonly mark: number;
  readonly path: string;
}

export interface OperationsOptions {
  readonly training: TrainingClient;
  readonly log: CallLog;
  readonly timeoutMs: number;
  /** Callers that give up: how often, and by which chance when. None by default. */
  readonly abandons?: { readonly share: number; readonly random: Random };
}

const MAX_TOKENS = 4;
/** Long enough for some to be under way, short enough for few to be done. */
const ABANDONED_WITHIN_MS = 60;

export function createOperations({ training, log, timeoutMs, abandons }: OperationsOptions): Operations {
  const { modelId } = training.model;
  const saved: SavedState[] = [];
  const waitOptions = (): WaitOptions => {
    if (abandons?.random.chance(abandons.share) !== true) return { timeoutMs };
    return { timeoutMs, signal: AbortSignal.timeout(abandons.random.below(ABANDONED_WITHIN_MS)) };
  };
  const watch = (key: string, work: Promise<readonly number[] | undefined>, ofModel = true): Promise<Call> =>
    log.watch({ key, work, timeoutMs, modelId: ofModel ? modelId : undefined });
  const pass = (operation: 'forward' | 'forward_backward'): Promise<Call> => {
    const mark = log.nextMark();
    const datums = [makeDatum(mark)];
    const handle =
      operation === 'forward'
        ? training.forward(datums, waitOptions())
        : training.forwardBackward(datums, { ...waitOptions(), loss: 'cross_entropy' });
    const work = handle.then(({ logprobs }) => logprobs.flatMap((each) => [...each]));
    return watch(`${operation}:${mark}`, work);
  };
  return {
    saved,
    log,
    training,
    forwardBackward: () => pass('forward_backward'),
    forward: () => pass('forward'),
    optimStep() {
      const mark = log.nextMark();
      const work = training.optimStep({ learningRate: learningRateOf(mark) }, waitOptions());
      return watch(
        `optim_step:${mark}`,
        work.then(({ metrics }) => readRateMark(metrics)),
      );
    },
    save() {
      const mark = log.nextMark();
      const work = training.saveState(nameOf(mark), waitOptions()).then(({ path }) => {
        saved.push({ mark, path });
        return undefined;
      });
      return watch(`save_weights:${mark}`, work);
    },
    load({ mark, path }) {
      const work = training.loadState(path, { ...waitOptions(), optimizer: true });
      return watch(
        `load_weights:${mark}`,
        work.then(() => undefined),
      );
    },
    sample(sampler) {
      const mark = log.nextMark();
      const work = sampler
        .sample({ ...waitOptions(), prompt: tokensOf(mark), params: { maxTokens: MAX_TOKENS, stop: [0] } })
        .then(({ sequences }) => sequences.flatMap(({ tokens }) => [...tokens]));
      return watch(`asample:${mark}`, work, false);
    },
  };
}

function makeDatum(mark: number): Datum {
  const tokens = tokensOf(mark);
  return {
    tokens,
    inputs: {
      target_tokens: Int32Array.from([...tokens.slice(1), 9]),
      weights: new Float32Array(tokens.length).fill(1),
    },
  };
}
