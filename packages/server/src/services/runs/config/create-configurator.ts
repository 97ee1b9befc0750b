import {
  isRecord,
  LachesisError,
  recipeSchema,
  type ConfigField,
  type ControlConfig,
  type EnvironmentEntry,
  type Recipe,
} from '@lachesis/protocol';
import { findNearestName } from '@lachesis/sdk/config';
import { readSettings, writeSettings, type JsonValue, type Store } from '@lachesis/store';
import { lockedError, type FieldRules, type RuledField } from './field-rules.ts';
import type { FoundField } from './refine-fields.ts';
import type { ResolvedRun, RunConfigurator } from './configurator.ts';

/** An environment as discovery finds it: with the fields its source tells of. */
export interface ListedEnvironment extends EnvironmentEntry {
  config_fields?: readonly FoundField[];
  /** Names that people know it by from elsewhere. */
  aliases?: readonly string[];
}

export interface ControlConfiguratorOptions {
  store: Store;
  listEnvironments: () => Promise<ListedEnvironment[]>;
  /** What loading an environment tells of the fields its source names; the fields as they are when that fails. */
  describeFields?: (environment: ListedEnvironment) => Promise<NonNullable<ListedEnvironment['config_fields']>>;
  /** What may be set through the API. */
  rules: FieldRules;
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
  { name: 'group_size', type: 'integer', kind: 'value', description: 'rollouts of one task' },
  { name: 'batch_size', type: 'integer', kind: 'value', description: 'sequences of one step' },
  { name: 'wandb_name', type: 'string', kind: 'value', description: 'name of the run in metrics' },
  {
    name: 'wandb_project',
    type: 'string',
    kind: 'value',
    description: 'project in Weights & Biases, when that is used',
  },
  { name: 'system_prompt', type: 'string', kind: 'value', description: 'system prompt of every rollout' },
] as const);

/** Fields of the section env that everybody is shown, and that every environment has. */
const SHOWN = Object.freeze(['group_size', 'batch_size', 'system_prompt'] as const);

/** Written by us alone, whatever an environment calls its fields. */
const OURS: ReadonlySet<string> = new Set([...LOCKED.map(([, name]) => name), 'api_fields']);

/** The configuration of the next run of each tenant, kept in the store. */
export function createControlConfigurator(options: ControlConfiguratorOptions): RunConfigurator {
  const { store, recipeFile, recipeName, listEnvironments, rules } = options;
  const recipe = readRecipe(recipeFile);

  const findEnvironment = async (name: string): Promise<ListedEnvironment> => {
    const all = await listEnvironments();
    const found = all.find((entry) => entry.name === name) ?? all.find(({ aliases }) => aliases?.includes(name));
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

  const fieldsOf = async (environment: string | undefined, selectedAt: number): Promise<RuledField[]> => {
    const own = environment === undefined ? [] : await ownFieldsOf(await findEnvironment(environment));
    const shared = SHARED.map(({ name, type, kind, description }) => {
      // As it will run: the recipe's file goes before the environment's own default, and that before ours.
      const given =
        name === 'wandb_project'
          ? recipe.tinker.wandb_project
          : (toRecord(recipeFile['env'])[name] ??
            own.find((field) => field.name === name)?.default ??
            recipe.env[name]);
      const value = name === 'wandb_name' ? (given ?? nameRun(environment, selectedAt)) : given;
      return { name, type, kind, description, default: value ?? null, current_value: value ?? null };
    });
    const known = new Set<string>(SHARED.map(({ name }) => name));
    const further = own
      .filter(({ name }) => !OURS.has(name) && !known.has(name))
      .map(({ name, type, kind, default: fallback, description = '' }) => {
        const value = recipe.env[name] ?? fallback ?? null;
        return {
          name,
          type,
          description,
          default: value,
          current_value: value,
          ...(kind === undefined ? {} : { kind }),
        };
      });
    return [...shared, ...further];
  };

  const describe = async (tenantId: string): Promise<ControlConfig> => {
    const { environment, selectedAt, edits } = await load(tenantId);
    const fields = (await fieldsOf(environment, selectedAt)).map((field) => ({
      ...{ field, lock: rules.findLock(field) },
      shown: { ...field, kind: rules.kindOf(field) } satisfies ConfigField,
    }));
    return {
      environment: environment ?? null,
      recipe: recipeName,
      configurable_fields: fields
        .filter(({ lock }) => lock === undefined)
        .map(({ shown }) =>
          Object.hasOwn(edits, shown.name) ? { ...shown, current_value: edits[shown.name] } : shown,
        ),
      locked_fields: [
        ...LOCKED.map(([section, name, type, description]) => {
          const value = (recipe[section] as Record<string, unknown>)[name] ?? null;
          return { name, type, description, default: value, current_value: value };
        }),
        ...fields
          .filter(({ lock }) => lock !== undefined)
          .map(({ shown, lock }) => ({ ...shown, locked_because: lock })),
      ],
    };
  };

  const check = async (
    fields: readonly RuledField[],
    [name, value]: readonly [string, unknown],
    use: { isAtStart: boolean },
  ): Promise<JsonValue> => {
    if (OURS.has(name)) throw lockedError(name, `its value comes from the recipe ${recipeName}`);
    const field = fields.find((candidate) => candidate.name === name);
    if (field !== undefined) return await rules.check(field, value, use);
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
      const checked = await check(await fieldsOf(environment, selectedAt), [field, value], { isAtStart: false });
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
      const asked = request.environment ?? loaded.environment;
      if (asked === undefined) throw noEnvironment();
      const { name: environment, file_path: file } = await findEnvironment(asked);
      const isSelected = environment === loaded.environment;
      const selectedAt = isSelected ? loaded.selectedAt : options.now();
      const fields = await fieldsOf(environment, selectedAt);
      // Edits are looked at again: the recipe, the environment's file and what a link leads to may have changed.
      const wanted = Object.entries({ ...(isSelected ? loaded.edits : {}), ...request.config });
      const edits = Object.fromEntries(
        await Promise.all(
          wanted.map(async (each) => [each[0], await check(fields, each, { isAtStart: true })] as const),
        ),
      );
      const reaching = fields.filter(
        (field) => Object.hasOwn(edits, field.name) && rules.kindOf(field, edits[field.name]) !== 'value',
      );
      // Environments of Python know only their own fields.
      const apiFields = file.endsWith('.py') ? [] : reaching.map(({ name }) => name);
      return toResolvedRun({ recipe, recipeFile, environment, fields, edits, apiFields });
    },
  };
}

function toResolvedRun(options: {
  recipe: Recipe;
  recipeFile: Readonly<Record<string, unknown>>;
  environment: string;
  fields: readonly ConfigField[];
  edits: Readonly<Record<string, JsonValue>>;
  /** Fields with a path, an address or code that came through the API. */
  apiFields: readonly string[];
}): ResolvedRun {
  const { recipe, environment, fields, edits, apiFields } = options;
  const { wandb_project: project = null, wandb_name: editedName, ...others } = edits;
  const fieldOf = (name: string): JsonValue =>
    (fields.find((field) => field.name === name)?.default ?? null) as JsonValue;
  const name = editedName ?? fieldOf('wandb_name');
  const wandbProject = project ?? fieldOf('wandb_project');
  const values = Object.fromEntries(
    fields.map((field) => [field.name, (edits[field.name] ?? field.default ?? null) as JsonValue]),
  );
  const locked = LOCKED.map(([section, key]) => [key, (recipe[section] as Record<string, JsonValue>)[key] ?? null]);
  const shown = Object.fromEntries(
    SHOWN.flatMap((key) => (values[key] === null || values[key] === undefined ? [] : [[key, values[key]] as const])),
  );
  const { total_steps: totalSteps, max_token_length: maxLength, max_num_workers: maxWorkers } = recipe.env;
  return {
    environment,
    config: { ...values, ...Object.fromEntries(locked) },
    recipe: {
      env: plain({ ...recipe.env, ...shown, ...others, wandb_name: name }),
      // The run's environment asks the run's own policy, with a key of its own: the recipe's is not kept with the run.
      openai: recipe.openai.map((server) => plain({ ...server, api_key: '' })),
      tinker: plain({ ...recipe.tinker, ...(wandbProject === null ? {} : { wandb_project: wandbProject }) }),
    },
    // What is shown as locked or as a value is what runs, whatever the environment would have taken by itself.
    environmentFile: plain({
      ...toRecord(options.recipeFile['env']),
      ...{ total_steps: totalSteps, max_token_length: maxLength, max_num_workers: maxWorkers },
      ...shown,
      ...others,
      wandb_name: name,
      ...(apiFields.length === 0 ? {} : { api_fields: apiFields }),
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

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** Without what is not there. */
const plain = (value: object): Record<string, JsonValue> =>
  JSON.parse(JSON.stringify(value)) as Record<string, JsonValue>;

function nameRun(environment: string | undefined, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${environment ?? 'run'}-${stamp}`;
}
