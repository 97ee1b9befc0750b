import { LachesisError, type RunEstimate } from '@lachesis/protocol';
import type { ResolvedRun, RunConfigurator } from './configurator.ts';
import { estimateRun, tightenLimits, type ModelPrice, type RunLimits } from './estimate-run.ts';

export interface EstimateParts {
  /** By the name of a model; read again each time, because people edit it. */
  findPrice: (model: string) => Promise<ModelPrice | undefined>;
  /** Of earlier runs with this environment and these sizes. */
  findSecondsPerStep: (tenantId: string, resolved: ResolvedRun) => Promise<number | undefined>;
  /** Where the prices are, for who has to write one. */
  pricesPath: string;
  /** Of every run of this server, whoever starts it; a request can only ask for less. */
  limits?: RunLimits | undefined;
}

/** A configurator whose resolved runs say what they may take. */
export function withEstimates(real: RunConfigurator, parts: EstimateParts): RunConfigurator {
  return {
    ...real,
    async resolve(tenantId, request) {
      const resolved = await real.resolve(tenantId, request);
      const model = modelOf(resolved);
      const price = await parts.findPrice(model);
      const { budget: cost, max_tokens: tokens, max_steps: steps } = request;
      const limits = tightenLimits(parts.limits ?? {}, { cost, tokens, steps });
      if (limits.cost !== undefined && price === undefined) {
        throw new LachesisError({
          code: 'conflict',
          message: `a budget needs a price, and there is none for the model ${JSON.stringify(model)}`,
          hint: `Write it to ${parts.pricesPath}, in US dollars per million tokens: "${model}": { input: 0.1, output: 0.4, train: 0.4 }`,
        });
      }
      const secondsPerStep = await parts.findSecondsPerStep(tenantId, resolved);
      return { ...resolved, estimate: estimateOf({ resolved, price, secondsPerStep, limits }) };
    },
  };
}

/** The model of a run, as a price table names it. */
export function modelOf({ recipe: { env, tinker } }: Pick<ResolvedRun, 'recipe'>): string {
  const named = [tinker['base_model'], tinker['tinker_model_name'], env['tokenizer_name']];
  return named.find((name): name is string => typeof name === 'string' && name !== '') ?? 'unknown';
}

function estimateOf(options: {
  resolved: ResolvedRun;
  price: ModelPrice | undefined;
  secondsPerStep: number | undefined;
  limits: RunLimits;
}): RunEstimate {
  const { recipe, totalSteps } = options.resolved;
  const read = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return estimateRun({
    ...options,
    totalSteps,
    batchSize: read(recipe.env['batch_size']),
    maxTokenLength: read(recipe.env['max_token_length']),
    maxTrainerLength: read(recipe.tinker['max_token_trainer_length']),
  });
}
