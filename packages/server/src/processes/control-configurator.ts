import {
  LachesisError,
  recipeSchema,
  type ConfigField,
  type ControlConfig,
  type EnvironmentEntry,
  type Recipe,
} from '@lachesis/protocol';
import { findNearestName } from '@lachesis/sdk/config';
import { readSettings, writeSettings, type JsonValue, type Store } from '@lachesis/store';
import { readFieldValue } from '../control/config/read-field-value.ts';
import type { ResolvedRun, RunConfigurator } from '../control/runs/run-configurator.ts';

/** An environment as discovery finds it: with the fields its source tells of. */
export interface ListedEnvironment extends EnvironmentEntry {
  config_fields?: readonly { name: string; type: string; default?: unknown; description?: string }[];
}

export interface ControlConfiguratorOptions {
  store: Store;
  listEnvironments: () => Promise<ListedEnvironment[]>;
  /** What loading an environment tells of the fields its source names; the fields as they are when that fails. */
  describeFields?: (environment: ListedEnvironment) => Promise<NonNullable<ListedEnvironment['config_fields']>>;
  /** The recipe file as it was read; its values that are not configurable are locked. */
  recipeFile: Readonly<Record<string, unknown>>;
  recipeName: string;
  now: () => number;
  nextId: () => string;
}

const SCOPE = 'control:next-run';

const LOCKED = Object.freeze([
  ['env', 'tokenizer_name', 'text', 'tokenizer of the model'],
  ['env', 'rollout_server_url', 'text', 'where the trajectory API listens'],
  ['env', 'max_token_length', 'integer', 'longest sequence of a rollout'],
  ['env', 'max_num_workers', 'integer', 'rollouts at once'],
  ['env', 'total_steps', 'integer', 'steps of the run'],
  ['tinker', 'lora_rank', 'integer', 'rank of the adapter'],
  ['tinker', 'learning_rate', 'number', 'learning rate of Adam'],
  ['tinker', 'max_token_trainer_length', 'integer', 'longest sequence the trainer takes'],
] as const);

/** What may be edited whatever the environment is. */
const SHARED = Object.freeze([
  { name: 'group_size', type: 'integer', description: 'rollouts of one task' },
  { name: 'batch_size', type: 'integer', description: 'sequences of one step' },
  { name: 'wandb_name', type: 'string', description: 'name of the run in metrics' },
  { name: 'wandb_project', type: 'string', description: 'project in Weights & Biases, when that is used' },
  { name: 'system_prompt', type: 'string', description: 'system prompt of every rollout' },
] as const);

/** The configuration of the next run of each tenant, kept in the store. */
export function createControlConfigurator(options: ControlConfiguratorOptions): RunConfigurator {
  const { store, recipeFile, recipeName, listEnvironments } = options;
  const recipe = readRecipe(recipeFile);

  const findEnvironment = async (name: string): Promise<ListedEnvironment> => {
    const all = await listEnvironments();
    const found = all.find((entry) => entry.name === name);
    if (found !== undefined) return found;
    const near = findNearestName(
      name,
      all.map((entry) => entry.name),
    );
    throw new LachesisError({
      code: 'not-found',
      message: `there is no environment ${JSON.stringify(name.slice(0, 200))}`,
      hint: `${near === undefined ? '' : `Did you mean ${near}? `}There are: ${all.map((entry) => entry.name).join(', ') || 'none'}.`,
    });
  };

  const load = async (
    tenantId: string,
  ): Promise<{ environment?: string; selectedAt: number; edits: Record<string, JsonValue> }> => {
    const settings = new Map(
      (await readSettings({ store, tenantId, scope: SCOPE })).map(({ name, value }) => [name, value]),
    );
    const selection = settings.get('selection') as { environment: string; id: string; at: number } | undefined;
    if (selection === undefined) return { selectedAt: options.now(), edits: {} };
    const edited = await readSettings({ store, tenantId, scope: `${SCOPE}:${selection.id}` });
    return {
      environment: selection.environment,
      selectedAt: selection.at,
      edits: Object.fromEntries(edited.map(({ name, value }) => [name, value])),
    };
  };

  const ownFieldsOf = async (listed: ListedEnvironment): Promise<NonNullable<ListedEnvironment['config_fields']>> =>
    (await options.describeFields?.(listed)) ?? listed.config_fields ?? [];

  const fieldsOf = async (environment: string | undefined, selectedAt: number): Promise<ConfigField[]> => {
    const own = environment === undefined ? [] : await ownFieldsOf(await findEnvironment(environment));
    const locked = new Set<string>(LOCKED.map(([, name]) => name));
    const shared = SHARED.map(({ name, type, description }) => {
      const given = name === 'wandb_project' ? recipe.tinker.wandb_project : recipe.env[name];
      const value = name === 'wandb_name' ? (given ?? nameRun(environment, selectedAt)) : given;
      return { name, type, description, default: value ?? null, current_value: value ?? null };
    });
    const known = new Set<string>(SHARED.map(({ name }) => name));
    const further = own
      .filter(({ name }) => !locked.has(name) && !known.has(name))
      .map(({ name, type, default: fallback, description = '' }) => {
        const value = recipe.env[name] ?? fallback ?? null;
        return { name, type, description, default: value, current_value: value };
      });
    return [...shared, ...further];
  };

  const describe = async (tenantId: string): Promise<ControlConfig> => {
    const { environment, selectedAt, edits } = await load(tenantId);
    const fields = await fieldsOf(environment, selectedAt);
    return {
      environment: environment ?? null,
      recipe: recipeName,
      configurable_fields: fields.map((field) =>
        field.name in edits ? { ...field, current_value: edits[field.name] } : field,
      ),
      locked_fields: LOCKED.map(([section, name, type, description]) => {
        const value = (recipe[section] as Record<string, unknown>)[name] ?? null;
        return { name, type, description, default: value, current_value: value };
      }),
    };
  };

  const check = (fields: readonly ConfigField[], name: string, value: unknown): JsonValue => {
    if (LOCKED.some(([, locked]) => locked === name)) {
      throw new LachesisError({
        code: 'invalid',
        message: `${name} is locked: its value comes from the recipe ${recipeName}`,
        hint: 'A person can start the server with another recipe: lachesis serve control --recipe <file>.',
      });
    }
    const field = fields.find((candidate) => candidate.name === name);
    if (field !== undefined) return readFieldValue(field, value);
    const near = findNearestName(
      name,
      fields.map((candidate) => candidate.name),
    );
    throw new LachesisError({
      code: 'invalid',
      message: `there is no field ${JSON.stringify(name)}`,
      hint: near === undefined ? 'GET /config lists them.' : `Did you mean ${near}?`,
    });
  };

  return {
    listEnvironments: async () =>
      (await listEnvironments()).map(({ name, class_name, file_path, description }) => ({
        ...{ name, class_name, file_path, description },
      })),
    async select(tenantId, name) {
      const { name: environment, file_path } = await findEnvironment(name);
      const selection = { environment, id: options.nextId(), at: options.now() };
      const settings = [{ name: 'selection', value: selection, origin: 'control API' }];
      await writeSettings({ store, tenantId, scope: SCOPE, settings });
      return {
        message: `Selected environment ${environment}.`,
        environment,
        file_path,
        config: await describe(tenantId),
      };
    },
    read: describe,
    async edit(tenantId, { field, value }) {
      const { environment, selectedAt } = await load(tenantId);
      if (environment === undefined) throw noEnvironment();
      const checked = check(await fieldsOf(environment, selectedAt), field, value);
      const { value: selection } = (await readSettings({ store, tenantId, scope: SCOPE }))[0] ?? { value: null };
      const { id } = selection as { id: string };
      const settings = [{ name: field, value: checked, origin: 'control API' }];
      await writeSettings({ store, tenantId, scope: `${SCOPE}:${id}`, settings });
      return {
        message: `Set ${field} to ${JSON.stringify(checked)}.`,
        field,
        value: checked,
        config: await describe(tenantId),
      };
    },
    async resolve(tenantId, request): Promise<ResolvedRun> {
      const loaded = await load(tenantId);
      const environment = request.environment ?? loaded.environment;
      if (environment === undefined) throw noEnvironment();
      await findEnvironment(environment);
      const isSelected = environment === loaded.environment;
      const selectedAt = isSelected ? loaded.selectedAt : options.now();
      const fields = await fieldsOf(environment, selectedAt);
      const given = Object.entries(request.config ?? {}).map(([name, value]) => [name, check(fields, name, value)]);
      const edits: Record<string, JsonValue> = { ...(isSelected ? loaded.edits : {}), ...Object.fromEntries(given) };
      return toResolvedRun({ recipe, recipeFile, environment, fields, edits });
    },
  };
}

function toResolvedRun(options: {
  recipe: Recipe;
  recipeFile: Readonly<Record<string, unknown>>;
  environment: string;
  fields: readonly ConfigField[];
  edits: Readonly<Record<string, JsonValue>>;
}): ResolvedRun {
  const { recipe, environment, fields, edits } = options;
  const { wandb_project: project = null, wandb_name: editedName, ...others } = edits;
  const fieldOf = (name: string): JsonValue =>
    (fields.find((field) => field.name === name)?.default ?? null) as JsonValue;
  const name = editedName ?? fieldOf('wandb_name');
  const wandbProject = project ?? fieldOf('wandb_project');
  const values = Object.fromEntries(
    fields.map((field) => [field.name, (edits[field.name] ?? field.default ?? null) as JsonValue]),
  );
  const locked = LOCKED.map(([section, key]) => [key, (recipe[section] as Record<string, JsonValue>)[key] ?? null]);
  const { total_steps: totalSteps, batch_size: batchSize } = recipe.env;
  return {
    environment,
    config: { ...values, ...Object.fromEntries(locked) },
    recipe: {
      env: plain({ ...recipe.env, ...others, wandb_name: name }),
      openai: recipe.openai.map(plain),
      tinker: plain({ ...recipe.tinker, ...(wandbProject === null ? {} : { wandb_project: wandbProject }) }),
    },
    // Defaults of the environment go before ours; how much makes a step and a run, both must see alike.
    environmentFile: plain({
      batch_size: batchSize,
      total_steps: totalSteps,
      ...toRecord(options.recipeFile['env']),
      ...others,
      wandb_name: name,
    }),
    totalSteps,
    wandbProject: typeof wandbProject === 'string' ? wandbProject : null,
    wandbRunName: typeof name === 'string' ? name : null,
  };
}

function readRecipe(file: Readonly<Record<string, unknown>>): Recipe {
  const parsed = recipeSchema.safeParse(file);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `The recipe cannot be read: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it does not fit'}`,
  );
}

const noEnvironment = (): LachesisError =>
  new LachesisError({
    code: 'conflict',
    message: 'no environment is selected',
    hint: 'GET /environments lists them; POST /environments/{name}/select chooses one.',
  });

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Without what is not there. */
const plain = (value: object): Record<string, JsonValue> =>
  JSON.parse(JSON.stringify(value)) as Record<string, JsonValue>;

function nameRun(environment: string | undefined, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${environment ?? 'run'}-${stamp}`;
}
