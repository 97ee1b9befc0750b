import type { JsonValue, TrainingRun } from '@lachesis/store';
import { withoutCredentials } from '../engine-address.ts';
import { readRunDetails } from '../details.ts';

export interface ReproductionFacts {
  run: TrainingRun;
  versions: Readonly<Record<string, string>>;
  /** The environment's file and the SHA-256 of its bytes; null when it could not be read. */
  environmentFile: { path: string; sha256: string } | null;
  recipeName: string | null;
  /** Files of the author's that the run learns by. */
  code: { key: string; file: string; sha256: string }[];
  /** Of the folder the run works in; null outside a repository. */
  commit: { sha: string; has_changes: boolean } | null;
}

/** Everything that is needed to do a run again, as it is kept in its directory. Keys and tokens are never part of it. */
export function describeReproduction({
  run,
  versions,
  environmentFile,
  recipeName,
  code,
  commit,
}: ReproductionFacts): JsonValue {
  const details = readRunDetails(run.details);
  const {
    values,
    recipe,
    environmentFile: settings,
  } = run.config as unknown as {
    values: Record<string, JsonValue>;
    environmentFile?: Record<string, JsonValue>;
    recipe: { env: Record<string, JsonValue>; tinker: Record<string, JsonValue> };
  };
  return {
    run_id: run.shortId,
    kind: run.kind,
    created_at: new Date(run.createdAt).toISOString(),
    environment: {
      name: run.environment,
      file: environmentFile?.path ?? null,
      sha256: environmentFile?.sha256 ?? null,
    },
    recipe: recipeName,
    config: values,
    config_files: { run: details.configPath, environment: details.environmentConfigPath },
    seeds: {
      environment: settings?.['seed'] ?? recipe.env['seed'] ?? null,
      trainer: recipe.tinker['seed'] ?? null,
    },
    code,
    initial_state: recipe.tinker['initial_state'] ?? null,
    commit,
    engine: details.engineUrl === null ? null : withoutCredentials(details.engineUrl),
    estimate: details.estimate as JsonValue,
    versions: { ...versions },
  };
}
