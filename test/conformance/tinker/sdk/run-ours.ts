import type { Datum, TinkerService } from '@lachesis/tinker';

import type { Recipe, RecipeResult } from './recipe.ts';

export interface RunOursOptions {
  readonly service: TinkerService;
  readonly baseModel: string;
  readonly recipe: Recipe;
  /** A seeded fault: what the client makes of the datums before it sends them. */
  readonly distort?: (datums: readonly Datum[]) => readonly Datum[];
}

/** Carries the recipe out with our client, everything sent ahead of its results. */
export async function runOurs(options: RunOursOptions): Promise<RecipeResult> {
  const { service, baseModel, recipe, distort = (datums: readonly Datum[]) => datums } = options;
  const { rank, seed, learningRate } = recipe;
  const training = await service.createTraining({ baseModel, rank, seed });
  const blocks = recipe.blocks.map(({ loss, config, datums }) => {
    const steps = Array.from({ length: recipe.steps }, () => ({
      pass: training.forwardBackward(distort(datums), { loss, config }),
      step: training.optimStep({ learningRate }),
    }));
    return { loss, steps, probe: training.forward(recipe.probe) };
  });
  const done: RecipeResult['blocks'][number][] = [];
  for (const { loss, steps, probe } of blocks) {
    const results = await Promise.all(steps.map(({ pass }) => pass));
    await Promise.all(steps.map(({ step }) => step));
    done.push({
      loss,
      logprobs: results.flatMap((result) => result.logprobs),
      losses: results.flatMap((result) => result.outputs.map((output) => toNumbers(output['elementwise_loss']?.data))),
      probe: (await probe).logprobs,
    });
  }
  await training.close();
  return { blocks: done };
}

function toNumbers(data: BigInt64Array | Float32Array | undefined): Float32Array {
  if (data instanceof Float32Array) return data;
  throw new Error('a pass came back without per-token losses');
}
