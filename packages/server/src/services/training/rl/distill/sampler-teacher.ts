import type { TinkerService } from '@lachesis/tinker';
import type { Reference } from '../rlhf/open-reference.ts';

/** Weights that a server keeps apart from training, asked through a sampler: no model has to be made for them. */
export async function createSamplerTeacher(options: {
  service: TinkerService;
  /** Undefined for the base model itself. */
  path: string | undefined;
  baseModel: string;
}): Promise<Reference> {
  const { service, path, baseModel } = options;
  const sampler = await service.createSampler(path === undefined ? { baseModel } : { modelPath: path });
  return {
    logprobs: async (sequences) =>
      await Promise.all(
        sequences.map(async ({ datum }) => {
          const { target_tokens: targets } = datum.inputs;
          const tokens = Int32Array.of(datum.tokens[0]!, ...targets);
          // The first token is predicted by nothing, and is no target.
          return (await sampler.computeLogprobs(tokens)).slice(1);
        }),
      ),
    close: () => sampler.close(),
  };
}
