import type { Recipe } from '@lachesis/protocol';

/** One of several environments of a run. */
export interface MixedEnvironment {
  /** A name or a file. */
  readonly name: string;
  readonly weight: number;
  /** The section env for its own file. */
  readonly environmentFile: Readonly<Record<string, unknown>>;
}

/** The environments of a recipe that has a list of them: what it says for all, then what it says for each. */
export function mixEnvironmentFiles(
  { environments = [], env }: Pick<Recipe, 'env' | 'environments'>,
  shared: Readonly<Record<string, unknown>>,
  run: string,
): MixedEnvironment[] {
  return environments.map(({ name, weight, config }) => ({
    name,
    weight,
    environmentFile: {
      ...shared,
      ...config,
      inference_weight: weight,
      // Under its own name each has its own share.
      wandb_name: `${env.wandb_name ?? run}-${name}`,
    },
  }));
}
