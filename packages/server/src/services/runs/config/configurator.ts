import type {
  ConfigEdit,
  ConfigEditReply,
  ControlConfig,
  EnvironmentEntry,
  EnvironmentSelection,
  RunEstimate,
  RunRequest,
} from '@lachesis/protocol';
import type { JsonValue } from '@lachesis/store';
import type { RunLimits } from './estimate-run.ts';

/** Everything a run is started with, worked out from the recipe, the environment and the edits. */
export interface ResolvedRun {
  /** A name or a file, as `lachesis env serve` takes it. */
  environment: string;
  /** Flat, as people edit it: for the answer of `POST /runs`. */
  config: Record<string, JsonValue>;
  /** The recipe, with its sections: what the files of the run are made of. */
  recipe: { env: Record<string, JsonValue>; openai: JsonValue[]; tinker: Record<string, JsonValue> };
  /** The section env of the environment's own file: what was given, and nothing that is only a default of ours. */
  environmentFile: Record<string, JsonValue>;
  /** Where several environments are mixed: each with its weight and its own file. The first is `environment`. */
  environments?: { name: string; weight: number; environmentFile: Record<string, JsonValue> }[];
  totalSteps: number;
  wandbProject: string | null;
  wandbRunName: string | null;
  /** What ends the run, as the configuration says it. */
  limits?: RunLimits;
  estimate?: RunEstimate;
}

/** What the row of a run holds of it. Several environments are listed, one is not. */
export function toRunConfig({ config, recipe, environmentFile, environments = [] }: ResolvedRun): {
  [name: string]: JsonValue;
} {
  return { values: config, recipe, environmentFile, ...(environments.length > 1 ? { environments } : {}) };
}

/** Which environments there are, and the configuration of the next run of a tenant. */
export interface RunConfigurator {
  listEnvironments(): Promise<EnvironmentEntry[]>;
  select(tenantId: string, name: string): Promise<EnvironmentSelection>;
  read(tenantId: string): Promise<ControlConfig>;
  edit(tenantId: string, edit: ConfigEdit): Promise<ConfigEditReply>;
  /** Refuses with what is missing: no environment selected, a value that does not fit. */
  resolve(tenantId: string, request: RunRequest): Promise<ResolvedRun>;
}
