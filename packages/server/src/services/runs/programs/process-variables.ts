import type { RunRole } from '@lachesis/protocol';
import { TRAINER_SETTINGS } from '../../../http/settings/trainer-settings.ts';
import { TRAJECTORY_API_SETTINGS } from '../../../http/settings/trajectory-api-settings.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Set for what a control server starts: it is given what it needs, and does not look for further secrets itself. */
const GIVEN_SECRETS_VARIABLE = 'LACHESIS_SECRETS';

/** What every program needs to run at all: where things are, in which language and time, how much of the machine it may use. */
const COMMON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'TERM'],
  ...['NO_COLOR', 'FORCE_COLOR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR'],
  ...['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['VIRTUAL_ENV', 'PYTHONPATH', 'LD_LIBRARY_PATH', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['CUDA_VISIBLE_DEVICES', 'OMP_NUM_THREADS', 'MALLOC_ARENA_MAX', 'SystemRoot', 'USERPROFILE', 'APPDATA'],
  ...['HF_HOME', 'HF_HUB_CACHE', 'HF_HUB_OFFLINE', 'HF_ENDPOINT', 'TRANSFORMERS_OFFLINE'],
  ...['LACHESIS_HOME', 'LACHESIS_ENV_PATH', 'LACHESIS_ATROPOS_PYTHON', 'LACHESIS_LOG_LEVEL'],
  'LACHESIS_EGRESS_ALLOW',
  // The file that says what stands behind toolsets; keys that it names are for the operator to pass on.
  'LACHESIS_TOOLS',
];

/** What opens payloads that are not in the home; only for who opens them, and only where they are in an object store. */
const OBJECT_STORE = [
  ...['LACHESIS_BLOBS', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'],
];

/** Addresses that often carry a name and a password: they are passed on when they do not. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

const LOCALE = /^LC_[A-Z]+$/;
/** Fields of recipes and environments as variables. */
const SECTIONS = /^LACHESIS_(?:ENV|TINKER)_/;
/** Looks like the name of a credential. */
const SECRET = /(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/;

const variablesOf = (settings: Readonly<Record<string, { environmentVariable?: string }>>): string[] =>
  Object.values(settings).flatMap(({ environmentVariable: name }) =>
    name === undefined || SECRET.test(name) || name === 'DATABASE_URL' || name.endsWith('_URL') ? [] : [name],
  );

/** What a process of a run is given besides, by what it does. */
const OF_ROLE: Readonly<Record<RunRole, readonly string[]>> = {
  api: ['DATABASE_URL', ...variablesOf(TRAJECTORY_API_SETTINGS)],
  // It speaks to the engine, loads the tokenizer of its model, and reports to W&B where the recipe says so.
  trainer: [
    ...['DATABASE_URL', 'TINKER_BASE_URL', 'TINKER_API_KEY', 'HF_TOKEN', ...variablesOf(TRAINER_SETTINGS)],
    // The teacher of a recipe that names no other variable.
    'LACHESIS_TEACHER_KEY',
    ...['WANDB_API_KEY', 'WANDB_BASE_URL', 'WANDB_ENTITY', 'WANDB_PROJECT', 'WANDB_DIR'],
    ...['WANDB_NAME', 'WANDB_TAGS', 'WANDB_NOTES', 'WANDB_JOB_TYPE'],
  ],
  env: [],
};

/**
 * The variables of a process that the control server starts, out of its own: a list of what that process needs, never
 * all of them. `passed` are further names that the operator gives to whatever runs an environment or trains.
 */
export function chooseVariables(
  env: Variables,
  { role, passed = [] }: { role: RunRole; passed?: readonly string[] },
): Record<string, string> {
  const opensPayloads = role !== 'env' && (env['LACHESIS_BLOBS'] ?? '') !== '';
  const wanted = new Set([
    ...[...COMMON, ...OF_ROLE[role], ...(role === 'api' ? [] : passed)],
    ...(opensPayloads ? OBJECT_STORE : []),
  ]);
  const isWanted = (name: string, value: string): boolean =>
    wanted.has(name) ||
    LOCALE.test(name) ||
    (role !== 'api' && SECTIONS.test(name) && !SECRET.test(name)) ||
    (PROXIES.includes(name) && !value.includes('@'));
  const chosen = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isWanted(entry[0], entry[1]),
  );
  return { ...Object.fromEntries(chosen), [GIVEN_SECRETS_VARIABLE]: 'given' };
}

/**
 * Of an environment that has its replies scored by a server: that server's key. It is for a server that the operator named;
 * where an agent named a server, a file or code through the API, the process gets none.
 */
export function rewardKeyOf(settings: Readonly<Record<string, unknown>>, env: Variables): Record<string, string> {
  const key = env['LACHESIS_REWARD_KEY'] ?? '';
  const { reward, reward_url: url } = settings;
  const isScored = typeof url === 'string' || (typeof reward === 'string' && /^https?:/i.test(reward));
  return key === '' || !isScored || isNamedByAgent(settings) ? {} : { LACHESIS_REWARD_KEY: key };
}

const isNamedByAgent = ({ api_fields: named }: Readonly<Record<string, unknown>>): boolean =>
  Array.isArray(named) && named.length > 0;

/** The same for environments that share their variables: none is given where an agent named something to one of them. */
export function rewardKeyOfAll(
  settings: readonly Readonly<Record<string, unknown>>[],
  env: Variables,
): Record<string, string> {
  if (settings.some(isNamedByAgent)) return {};
  return Object.assign({}, ...settings.map((each) => rewardKeyOf(each, env))) as Record<string, string>;
}
