import {
  isRecord,
  LachesisError,
  recipeSchema,
  type ConfigField,
  type ControlConfig,
  type EnvironmentEntry,
  type EnvironmentMix,
  type Recipe,
  type RunRequest,
} from '@lachesis/protocol';
import { findNearestName } from '@lachesis/sdk/config';
import { readSettings, writeSettings, type JsonValue, type Store } from '@lachesis/store';
import { lockedError, type FieldRules, type RuledField } from './field-rules.ts';
import type { FoundField } from './refine-fields.ts';
import { SHARED_FIELDS, WRITTEN_FIELDS, type SharedField } from './shared-fields.ts';
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
  /** The model that is trained, by the name its tokenizer has; undefined when nobody can tell now. */
  findModel?: (recipe: Recipe) => Promise<string | undefined>;
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
  ['env', 'tokenizer_name', 'string', 'tokenizer of the model'],
  ['env', 'rollout_server_url', 'string', 'where the trajectory API listens'],
  ['env', 'max_token_length', 'integer', 'longest sequence of a rollout'],
  ['env', 'max_num_workers', 'integer', 'rollouts at once'],
  ['env', 'total_steps', 'integer', 'steps of the run'],
  ['tinker', 'lora_rank', 'integer', 'rank of the adapter'],
  ['tinker', 'learning_rate', 'number', 'learning rate of Adam'],
  ['tinker', 'max_token_trainer_length', 'integer', 'longest sequence the trainer takes'],
] as const);

/** A field with where its value goes. */
type PlacedField = RuledField & Pick<SharedField, 'place'>;

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

  /** As it will run: the recipe's file goes before the environment's own default, and that before ours. */
  const valueOf = ({ name, place, fallback }: SharedField, own: FoundField | undefined): unknown => {
    if (place === 'limit') return null;
    if (place === 'tinker') return (recipe.tinker as Record<string, unknown>)[name];
    const ofTrainer = place === 'both' ? toRecord(recipeFile['tinker'])[name] : undefined;
    return toRecord(recipeFile['env'])[name] ?? ofTrainer ?? own?.default ?? recipe.env[name] ?? fallback;
  };

  const fieldsOf = async (environment: string | undefined, selectedAt: number): Promise<PlacedField[]> => {
    const listed = environment === undefined ? undefined : await findEnvironment(environment);
    const own = listed === undefined ? [] : await ownFieldsOf(listed);
    const ofEnvironment = new Map(own.map((field) => [field.name, field] as const));
    const offered = SHARED_FIELDS.filter(
      ({ name, place, isOursAlone }) =>
        // An environment may have a field of its own by the name of a limit, and one of Python lacks some of ours.
        !(place === 'limit' && ofEnvironment.has(name)) &&
        !(isOursAlone === true && isPython(listed) && !ofEnvironment.has(name)),
    );
    const shared = offered.map((field): PlacedField => {
      const { name, type, description } = field;
      const given = ofEnvironment.get(name);
      const value = valueOf(field, given) ?? (name === 'wandb_name' ? nameRun(environment, selectedAt) : null);
      const bounds = { ...field.bounds, ...given?.bounds };
      const knowsBoth = !isPython(listed) || given !== undefined;
      return {
        place: field.place === 'both' && !knowsBoth ? 'tinker' : field.place,
        ...{ name, type, kind: 'value', description, default: value, current_value: value },
        ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
      };
    });
    const known = new Set<string>(offered.map(({ name }) => name));
    const further = own
      .filter(({ name }) => !OURS.has(name) && !known.has(name))
      .map(({ name, type, kind, default: fallback, description = '', bounds }): PlacedField => {
        const value = recipe.env[name] ?? fallback ?? null;
        return {
          place: 'env',
          ...{ name, type, description, default: value, current_value: value },
          ...(kind === undefined ? {} : { kind }),
          ...(bounds === undefined ? {} : { bounds }),
        };
      });
    return [...shared, ...further];
  };

  const describe = async (tenantId: string): Promise<ControlConfig> => {
    const { environment, selectedAt, edits } = await load(tenantId);
    const fields = (await fieldsOf(environment, selectedAt)).map(({ place: _place, ...field }) => ({
      ...{ field, lock: rules.findLock(field) },
      shown: { ...field, kind: rules.kindOf(field) } satisfies ConfigField,
    }));
    const model = await options.findModel?.(recipe);
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
          const read = (recipe[section] as Record<string, unknown>)[name] ?? null;
          const value = name === 'tokenizer_name' ? (model ?? read) : read;
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

  const resolveOne = async (
    asked: string,
    { config, loaded }: { config: Readonly<Record<string, unknown>>; loaded: Awaited<ReturnType<typeof load>> },
  ): Promise<ResolvedRun> => {
    const { name: environment, file_path: file } = await findEnvironment(asked);
    const isSelected = environment === loaded.environment;
    const selectedAt = isSelected ? loaded.selectedAt : options.now();
    const fields = await fieldsOf(environment, selectedAt);
    // Edits are looked at again: the recipe, the environment's file and what a link leads to may have changed.
    const wanted = Object.entries({ ...(isSelected ? loaded.edits : {}), ...config });
    const edits = Object.fromEntries(
      await Promise.all(wanted.map(async (each) => [each[0], await check(fields, each, { isAtStart: true })] as const)),
    );
    const reaching = fields.filter(
      (field) => Object.hasOwn(edits, field.name) && rules.kindOf(field, edits[field.name]) !== 'value',
    );
    if (isPython({ file_path: file }) && recipe.env.max_batches_offpolicy === 0) throw samplesAhead(environment);
    // Environments of Python know only their own fields.
    const apiFields = isPython({ file_path: file }) ? [] : reaching.map(({ name }) => name);
    return toResolvedRun({ recipe, recipeFile, environment, fields, edits, apiFields });
  };

  /** Each by itself; what the trainer needs is that of the first. What the recipe says of them is an operator's, and no edit. */
  const resolveMix = async (
    mix: EnvironmentMix,
    { request, loaded }: { request: RunRequest; loaded: Awaited<ReturnType<typeof load>> },
  ): Promise<ResolvedRun> => {
    const isAsked = request.environments !== undefined;
    const ofRecipe = (name: string | undefined): Readonly<Record<string, unknown>> =>
      recipe.environments?.find((environment) => environment.name === name)?.config ?? {};
    const resolved = await Promise.all(
      mix.map(({ name, config }) =>
        resolveOne(name, { loaded, config: { ...request.config, ...(isAsked ? config : {}) } }),
      ),
    );
    const [first] = resolved;
    if (first === undefined) throw noEnvironment();
    const environments = resolved.map(({ environment, environmentFile, wandbRunName }, index) => ({
      ...{ name: environment, weight: mix[index]?.weight ?? 1 },
      environmentFile: plain({
        ...environmentFile,
        ...(isAsked ? ofRecipe(mix[index]?.name) : mix[index]?.config),
        ...(isAsked ? pick(environmentFile, { ...request.config, ...mix[index]?.config }) : {}),
        inference_weight: mix[index]?.weight ?? 1,
        // Under its own name each has its own share and its own series.
        wandb_name: `${wandbRunName ?? 'run'}-${environment}`,
      }),
    }));
    return { ...first, environmentFile: environments[0]?.environmentFile ?? first.environmentFile, environments };
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
      const isOpen = request.environment === undefined && loaded.environment === undefined;
      const mix = request.environments ?? (isOpen ? recipe.environments : undefined);
      if (mix !== undefined) return await resolveMix(mix, { request, loaded });
      const asked = request.environment ?? loaded.environment;
      if (asked === undefined) throw noEnvironment();
      return await resolveOne(asked, { config: request.config ?? {}, loaded });
    },
  };
}

const pick = (values: Readonly<Record<string, JsonValue>>, named: object): Record<string, JsonValue> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(named, name)));

function toResolvedRun(options: {
  recipe: Recipe;
  recipeFile: Readonly<Record<string, unknown>>;
  environment: string;
  fields: readonly PlacedField[];
  edits: Readonly<Record<string, JsonValue>>;
  /** Fields with a path, an address or code that came through the API. */
  apiFields: readonly string[];
}): ResolvedRun {
  const { recipe, environment, fields, edits, apiFields } = options;
  const { wandb_name: editedName } = edits;
  const placeOf = new Map(fields.map((field) => [field.name, field.place] as const));
  const editsOf = (...places: readonly SharedField['place'][]): Record<string, JsonValue> =>
    Object.fromEntries(
      Object.entries(edits).filter(([key]) => key !== 'wandb_name' && places.includes(placeOf.get(key) ?? 'env')),
    );
  const others = editsOf('env', 'both');
  const { max_steps: steps, max_tokens: tokens, budget: cost } = editsOf('limit');
  const fieldOf = (name: string): JsonValue =>
    (fields.find((field) => field.name === name)?.default ?? null) as JsonValue;
  const name = editedName ?? fieldOf('wandb_name');
  const wandbProject = edits['wandb_project'] ?? fieldOf('wandb_project');
  const values = Object.fromEntries(
    fields.map((field) => [field.name, (edits[field.name] ?? field.default ?? null) as JsonValue]),
  );
  const locked = LOCKED.map(([section, key]) => [key, (recipe[section] as Record<string, JsonValue>)[key] ?? null]);
  const shown = Object.fromEntries(
    WRITTEN_FIELDS.flatMap((key) =>
      values[key] === null || values[key] === undefined ? [] : [[key, values[key]] as const],
    ),
  );
  const { total_steps: totalSteps, max_token_length: maxLength, max_num_workers: maxWorkers } = recipe.env;
  return {
    environment,
    config: { ...values, ...Object.fromEntries(locked) },
    recipe: {
      env: plain({ ...recipe.env, ...shown, ...others, wandb_name: name }),
      // The run's environment asks the run's own policy, with a key of its own: the recipe's is not kept with the run.
      openai: recipe.openai.map((server) => plain({ ...server, api_key: '' })),
      tinker: plain({ ...recipe.tinker, ...editsOf('tinker', 'both') }),
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
    limits: { steps: readLimit(steps), tokens: readLimit(tokens), cost: readLimit(cost) },
  };
}

const readLimit = (value: JsonValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

const isPython = (listed: Pick<EnvironmentEntry, 'file_path'> | undefined): boolean =>
  listed?.file_path.endsWith('.py') === true;

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

const samplesAhead = (environment: string): LachesisError =>
  new LachesisError({
    code: 'invalid',
    message: `the recipe is strictly on-policy (max_batches_offpolicy 0), and ${environment} is written in Python, which samples ahead of the trainer`,
    hint: 'Set env.max_batches_offpolicy of the recipe to 1 or more, or take an environment in TypeScript.',
  });

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** Without what is not there. */
const plain = (value: object): Record<string, JsonValue> =>
  JSON.parse(JSON.stringify(value)) as Record<string, JsonValue>;

function nameRun(environment: string | undefined, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${environment ?? 'run'}-${stamp}`;
}
