import type { JsonValue, TrainingRun } from '@lachesis/store';
import { readRunDetails } from './details.ts';

/** One environment of a run. */
export interface RunEnvironment {
  /** A name or a file, as `lachesis env serve` takes it. */
  name: string;
  weight: number;
  /** The section env of its own file. */
  environmentFile: Record<string, JsonValue>;
  /** Where that file is. */
  configPath: string;
}

/** The environments of a run, the first of which is that of its row. Most runs have one. */
export function readRunEnvironments(run: TrainingRun): RunEnvironment[] {
  const { environmentFile = {}, environments } = run.config as {
    environmentFile?: Record<string, JsonValue>;
    environments?: Omit<RunEnvironment, 'configPath'>[];
  };
  const { environmentConfigPath: first } = readRunDetails(run.details);
  const listed = environments ?? [{ name: run.environment, weight: 1, environmentFile }];
  return listed.map((environment, index) => ({
    ...environment,
    configPath: index === 0 ? first : first.replace(/(?=\.yaml$)/, `_${index + 1}`),
  }));
}

/** The run as it would be with each of its environments alone. */
export function splitByEnvironment(run: TrainingRun): TrainingRun[] {
  const environments = readRunEnvironments(run);
  if (environments.length === 1) return [run];
  const { environments: _mixed, ...config } = run.config as Record<string, JsonValue>;
  return environments.map(({ name, environmentFile, configPath }) => ({
    ...run,
    environment: name,
    config: { ...config, environmentFile },
    details: { ...(run.details as Record<string, JsonValue>), environmentConfigPath: configPath },
  }));
}
