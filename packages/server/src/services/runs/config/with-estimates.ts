import { LachesisError, type RunEstimate } from '@lachesis/protocol';
import type { ResolvedRun, RunConfigurator } from './configurator.ts';
import { estimateRun, tightenLimits, type ModelPrice, type RunLimits } from './estimate-run.ts';

export interface EstimateParts {
  /** By the name of a model; read again each time, because people edit it. */
  findPrice: (model: string) => Promise<ModelPrice | undefined>;
  /** Of earlier runs with this environment and these sizes, the newest first. */
  findSecondsPerStep: (tenantId: string, resolved: ResolvedRun) => Promise<readonly number[]>;
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
      const asked = await real.resolve(tenantId, request);
      const model = modelOf(asked.recipe);
      const price = await parts.findPrice(model);
      // Who starts a run says last what ends it; nobody can ask for more than the server allows.
      const {
        budget: cost = asked.limits?.cost,
        max_tokens: tokens = asked.limits?.tokens,
        max_steps: steps = asked.limits?.steps,
      } = request;
      const limits = tightenLimits(parts.limits ?? {}, { cost, tokens, steps });
      const resolved = limitSteps(asked, limits.steps);
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

/**
 * The trainer ends itself at the limit, so that there is no step beyond it; the schedule of its learning rate is that of the
 * whole recipe all the same.
 */
function limitSteps(resolved: ResolvedRun, steps: number | undefined): ResolvedRun {
  if (steps === undefined) return resolved;
  const { recipe, environmentFile, environments } = resolved;
  const totalSteps = Math.min(resolved.totalSteps, steps);
  const limit = (file: ResolvedRun['environmentFile']): ResolvedRun['environmentFile'] => ({
    ...file,
    total_steps: totalSteps,
  });
  return {
    ...resolved,
    totalSteps,
    recipe: { ...recipe, tinker: { ...recipe.tinker, max_steps: steps } },
    environmentFile: limit(environmentFile),
    ...(environments && {
      environments: environments.map((each) => ({ ...each, environmentFile: limit(each.environmentFile) })),
    }),
  };
}

/** The model of a run, as a price table names it. */
export function modelOf({
  env,
  tinker,
}: Readonly<Record<'env' | 'tinker', Readonly<Record<string, unknown>>>>): string {
  const named = [tinker['base_model'], tinker['tinker_model_name'], env['tokenizer_name']];
  return named.find((name): name is string => typeof name === 'string' && name !== '') ?? 'unknown';
}

function estimateOf(options: {
  resolved: ResolvedRun;
  price: ModelPrice | undefined;
  secondsPerStep: readonly number[];
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
