import { isRecord } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';

export interface SettingDifference {
  name: string;
  /** In the order of the runs; null where it is not set. */
  values: unknown[];
}

/** Another one for each run, whatever somebody set. */
const OF_EVERY_RUN =
  /^(?:env\.(?:wandb_name|rollout_server_url|rollout_server_token|trainer_url|api_fields|data_\w+)|tinker\.(?:wandb_run_name|base_url)|openai(?:\..*)?)$/;
const SECRET = /(?:key|token|secret|password)$/i;
/** What ends a run by itself stands beside its recipe. */
const LIMITS = ['max_steps', 'max_tokens', 'budget'] as const;
const SEEDS: ReadonlySet<string> = new Set(['env.seed', 'tinker.seed']);

/** Settings that are not the same in every run, and which runs are the same but for their seed. */
export function compareSettings(runs: readonly TrainingRun[]): {
  differences: SettingDifference[];
  /** A number for each run; the same number is the same settings. */
  groups: number[];
} {
  const flat = runs.map(readSettings);
  const names = [...new Set(flat.flatMap((settings) => [...settings.keys()]))].toSorted();
  const differences = names.flatMap((name) => {
    const values = flat.map((settings) => settings.get(name) ?? null);
    return new Set(values.map(write)).size < 2 ? [] : [{ name, values }];
  });
  const known = new Map<string, number>();
  const groups = runs.map((_run, index) => {
    const own = write(differences.filter(({ name }) => !SEEDS.has(name)).map(({ values }) => values[index]));
    const group = known.get(own) ?? known.size;
    known.set(own, group);
    return group;
  });
  return {
    differences: differences.map(({ name, values }) => ({
      name,
      values: SECRET.test(name) ? values.map((value) => (value === null ? null : '(hidden)')) : values,
    })),
    groups,
  };
}

const write = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** By their names with sections, such as `tinker.learning_rate`. */
export function readSettings({ environment, config }: TrainingRun): Map<string, unknown> {
  const { recipe, environmentFile, values } = (isRecord(config) ? config : {}) as Record<string, unknown>;
  const sections = isRecord(recipe) ? recipe : {};
  const env = { ...toRecord(environmentFile), ...toRecord(sections['env']) };
  const settings = new Map<string, unknown>([['environment', environment]]);
  flatten({ ...sections, env }, '', settings);
  flatten(Object.fromEntries(LIMITS.map((name) => [name, toRecord(values)[name]])), '', settings);
  for (const name of settings.keys()) if (OF_EVERY_RUN.test(name)) settings.delete(name);
  return settings;
}

function flatten(value: Readonly<Record<string, unknown>>, path: string, settings: Map<string, unknown>): void {
  for (const [name, each] of Object.entries(value)) {
    const here = path === '' ? name : `${path}.${name}`;
    if (isRecord(each)) flatten(each, here, settings);
    else if (each !== null && each !== undefined) settings.set(here, each);
  }
}

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
