import type { JsonValue, TrainingRun } from '@lachesis/store';
import { withoutCredentials } from '../engine-address.ts';
import { readRunDetails } from '../details.ts';

export interface ReproductionFacts {
  run: TrainingRun;
  versions: Readonly<Record<string, string>>;
  /** The environment's file and the SHA-256 of its bytes; null when it could not be read. */
  environmentFile: { path: string; sha256: string } | null;
  recipeName: string | null;
}

/** Everything that is needed to do a run again, as it is kept in its directory. Keys and tokens are never part of it. */
export function describeReproduction({ run, versions, environmentFile, recipeName }: ReproductionFacts): JsonValue {
  const details = readRunDetails(run.details);
  const { values, recipe } = run.config as unknown as {
    values: Record<string, JsonValue>;
    recipe: { env: Record<string, JsonValue>; tinker: Record<string, JsonValue> };
  };
  return {
    run_id: run.shortId,
    created_at: new Date(run.createdAt).toISOString(),
    environment: {
      name: run.environment,
      file: environmentFile?.path ?? null,
      sha256: environmentFile?.sha256 ?? null,
    },
    recipe: recipeName,
    config: values,
    config_files: { run: details.configPath, environment: details.environmentConfigPath },
    seeds: { environment: recipe.env['seed'] ?? null, trainer: recipe.tinker['seed'] ?? null },
    engine: details.engineUrl === null ? null : withoutCredentials(details.engineUrl),
    estimate: details.estimate as JsonValue,
    versions: { ...versions },
  };
}
