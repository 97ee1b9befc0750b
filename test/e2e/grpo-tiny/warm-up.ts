import { loadTokenizer, renderTraining } from '@lachesis/sdk/render';
import type { ChatMessage } from '@lachesis/protocol';
import { createTinkerClient } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';

import { listWarmUpExamples } from '../../../packages/environments/src/digits/list-warm-up-examples.ts';

export interface WarmUpOptions {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly seed: number;
  /** Conversations whose replies are learnt, in this order; default: random digits. */
  readonly conversations?: readonly (readonly ChatMessage[])[];
  /** 16 by default. */
  readonly examplesPerStep?: number;
  readonly learningRate?: number;
  /** `tinker://…/weights/…` to begin with; new weights by default. */
  readonly initialState?: string;
}

export interface WarmUp {
  /** `tinker://…/weights/…`: what a trainer can begin with. */
  readonly statePath: string;
  /** `tinker://…/sampler_weights/…`: the same weights for samples. */
  readonly samplerPath: string;
  readonly firstLoss: number;
  readonly lastLoss: number;
}

/** For digits. */
const STEPS = 25;
/** What the engine takes through its compiled program at once. */
const EXAMPLES_PER_STEP = 16;
const LEARNING_RATE = 1e-2;
/** That of the recipe: a state can be loaded into a model of its own rank. */
const RANK = 8;

/** Teaches a random model to write at all, such as digits, each as likely as any other, and keeps its state. */
export async function warmUp(options: WarmUpOptions): Promise<WarmUp> {
  const { engineUrl, modelDirectory, seed, conversations = listDigitConversations(seed) } = options;
  const { examplesPerStep = EXAMPLES_PER_STEP, learningRate = LEARNING_RATE, initialState } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const training =
    initialState === undefined
      ? await service.createTraining({ baseModel: modelDirectory, rank: RANK, seed })
      : await service.createTrainingFromState(initialState, { optimizer: false });
  const losses: number[] = [];
  for (let start = 0; start < conversations.length; start += examplesPerStep) {
    const datums = await Promise.all(
      conversations.slice(start, start + examplesPerStep).map(async (messages): Promise<Datum> => {
        const { tokens, mask } = await renderTraining({ tokenizer, messages, trainOn: 'all-assistant' });
        return {
          tokens: tokens.slice(0, -1),
          inputs: { target_tokens: tokens.slice(1), weights: Float32Array.from(mask.subarray(1)) },
        };
      }),
    );
    const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
    const [{ metrics }] = await Promise.all([pass, training.optimStep({ learningRate })]);
    losses.push(metrics['loss:sum'] ?? Number.NaN);
  }
  const { path } = await training.saveState('warm-up');
  const { path: samplerPath } = await training.saveForSampler('warm-up-samples');
  return { statePath: path, samplerPath, firstLoss: losses[0] ?? Number.NaN, lastLoss: losses.at(-1) ?? Number.NaN };
}

const listDigitConversations = (seed: number): ChatMessage[][] =>
  listWarmUpExamples({ count: STEPS * EXAMPLES_PER_STEP, seed }).map(({ prompt, reply }) => [
    { role: 'user', content: prompt },
    { role: 'assistant', content: reply },
  ]);
