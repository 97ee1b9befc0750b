import { loadTokenizer, renderTraining } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';

import { listWarmUpExamples } from '../../../packages/environments/src/digits/list-warm-up-examples.ts';

export interface WarmUpOptions {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

export interface WarmUp {
  /** `tinker://…/weights/…`: what a trainer can begin with. */
  readonly statePath: string;
  readonly firstLoss: number;
  readonly lastLoss: number;
}

const STEPS = 25;
/** What the engine takes through its compiled program at once. */
const EXAMPLES_PER_STEP = 16;
const LEARNING_RATE = 1e-2;
/** That of the recipe: a state can be loaded into a model of its own rank. */
const RANK = 8;

/** Teaches a random model to write digits, each as likely as any other, and keeps its state. */
export async function warmUp({ engineUrl, modelDirectory, seed }: WarmUpOptions): Promise<WarmUp> {
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const training = await service.createTraining({ baseModel: modelDirectory, rank: RANK, seed });
  const examples = listWarmUpExamples({ count: STEPS * EXAMPLES_PER_STEP, seed });
  const losses: number[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const datums = await Promise.all(
      examples
        .slice(step * EXAMPLES_PER_STEP, (step + 1) * EXAMPLES_PER_STEP)
        .map(async ({ prompt, reply }): Promise<Datum> => {
          const { tokens, mask } = await renderTraining({
            tokenizer,
            messages: [
              { role: 'user', content: prompt },
              { role: 'assistant', content: reply },
            ],
            trainOn: 'last-assistant',
          });
          return {
            tokens: tokens.slice(0, -1),
            inputs: { target_tokens: tokens.slice(1), weights: Float32Array.from(mask.subarray(1)) },
          };
        }),
    );
    const pass = training.forwardBackward(datums, { loss: 'cross_entropy' });
    const [{ metrics }] = await Promise.all([pass, training.optimStep({ learningRate: LEARNING_RATE })]);
    losses.push(metrics['loss:sum'] ?? Number.NaN);
  }
  const { path } = await training.saveState('warm-up');
  return { statePath: path, firstLoss: losses[0] ?? Number.NaN, lastLoss: losses.at(-1) ?? Number.NaN };
}
