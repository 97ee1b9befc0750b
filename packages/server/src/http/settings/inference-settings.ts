import { DEFAULT_RUN } from './default-run.ts';
import { REDACTION_VARIABLES, TOOL_CALL_FORMATS } from '@lachesis/protocol/names';
import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { flag, list, name, number, oneOf, text, wholeNumber, type SettingKind } from './setting-kinds.ts';
import { bodySettings, homeSetting, portSetting, SERVER_SETTINGS } from './server-settings.ts';
import { setting } from './setting-spec.ts';

const address = (): ReturnType<typeof text> =>
  text({ pattern: /^https?:\/\/[^/]/, refusal: 'it must be an http:// or https:// URL' });

/** A regular expression, as text. */
const pattern = (): SettingKind<string> => (given) => {
  if (typeof given !== 'string' || given === '') return { refusal: 'it must be a text that is not empty' };
  try {
    void new RegExp(given, 'u');
    return { value: given };
  } catch (error) {
    return { refusal: `it must be a regular expression (${error instanceof Error ? error.message : String(error)})` };
  }
};

/** The settings of the inference station, each with its default, its bounds and the reason for both. */
export const INFERENCE_SETTINGS = {
  ...SERVER_SETTINGS,
  port: portSetting({ port: 8001, environmentVariable: 'LACHESIS_INFERENCE_PORT' }),
  home: homeSetting('folder for the SQLite database, which remembers tokens and the published policy'),
  run: setting({
    kind: name('run'),
    fallback: () => DEFAULT_RUN,
    environmentVariable: 'LACHESIS_RUN',
    describe: 'run whose policy is served; the last one published for it is served again after a restart',
  }),
  tenant: setting({
    kind: name('tenant'),
    fallback: () => 'local',
    environmentVariable: 'LACHESIS_TENANT',
    describe: 'tenant whose models and weights are served; tokens of others are refused what is made of them',
  }),
  model: setting<string | undefined>({
    kind: text({
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
      refusal: 'it must be the name of a model, without a version: letters, digits, dots, dashes and underscores',
    }),
    fallback: () => undefined,
    describe:
      'serve what is promoted under this name (`lachesis models promote`), the next one as soon as it is promoted; until then the base model',
  }),
  engineUrl: setting<string | undefined>({
    kind: address(),
    fallback: () => undefined,
    environmentVariable: 'TINKER_BASE_URL',
    describe: 'Tinker server to sample from; its key is TINKER_API_KEY',
  }),
  baseModel: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_BASE_MODEL',
    describe: 'base model, as the Tinker server calls it (default: the only one it offers)',
  }),
  tokenizer: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_TOKENIZER',
    describe: 'folder with tokenizer.json, or the name of a model on the hub (default: the base model)',
  }),
  upstreamUrl: setting<string | undefined>({
    kind: address(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_UPSTREAM_URL',
    describe:
      'OpenAI-compatible server to pass requests on to instead, with its /v1; its key is LACHESIS_UPSTREAM_API_KEY',
  }),
  upstreamModels: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: 'LACHESIS_UPSTREAM_MODELS',
    describe: 'names for models of that server, as asked=upstream, separated by commas; *=name stands for all others',
  }),
  upstreamTokens: setting({
    kind: oneOf(['auto', 'always', 'never'] as const),
    fallback: () => 'auto' as const,
    environmentVariable: 'LACHESIS_UPSTREAM_TOKENS',
    describe:
      'whether recorded calls ask that server for token ids and logprobs: auto asks vLLM and Lachesis, which have them',
  }),
  capture: setting({
    kind: flag(),
    fallback: () => true,
    environmentVariable: 'LACHESIS_CAPTURE',
    describe: 'record every call in the database, secrets taken out; x-lachesis-consent: none leaves a call out',
  }),
  captureRollouts: setting({
    // They are kept as sequences of groups already; a training run makes thousands of them.
    kind: flag(),
    fallback: () => false,
    environmentVariable: 'LACHESIS_CAPTURE_ROLLOUTS',
    describe: 'record the rollouts of environments (x-lachesis-rollout-id) too, besides their groups',
  }),
  captureConsent: setting({
    kind: oneOf(['train', 'evaluate', 'keep'] as const),
    fallback: () => 'train' as const,
    environmentVariable: 'LACHESIS_CAPTURE_CONSENT',
    describe: 'consent noted for a call without the header x-lachesis-consent; only train enters training sets',
  }),
  captureRetentionDays: setting<number | undefined>({
    kind: number({ min: 0.01, max: 36_500 }),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_CAPTURE_RETENTION_DAYS',
    describe: 'trajectories are removed so many days after their last call (default: kept for ever)',
  }),
  redactNames: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: REDACTION_VARIABLES.redactNames,
    describe: 'further field names whose values are taken out of records, separated by commas',
  }),
  redactVariables: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: REDACTION_VARIABLES.redactVariables,
    describe:
      'further environment variables whose values are taken out, separated by commas; names like …_KEY and …_TOKEN are known',
  }),
  redactPattern: setting<string | undefined>({
    kind: pattern(),
    fallback: () => undefined,
    environmentVariable: REDACTION_VARIABLES.redactPattern,
    describe: 'regular expression of what else is taken out; its first group where it has one, else the whole match',
  }),
  maxInFlight: setting({
    kind: wholeNumber({ min: 1, max: 65_536 }),
    fallback: () => 2_000,
    environmentVariable: 'LACHESIS_MAX_IN_FLIGHT',
    describe: 'requests under way at once; more are answered with 429',
  }),
  defaultMaxTokens: setting({
    // OpenAI's default is "as many as fit", which on an untrained policy is always the whole context.
    kind: wholeNumber({ min: 1, max: 1_048_576 }),
    fallback: () => 1_024,
    environmentVariable: 'LACHESIS_DEFAULT_MAX_TOKENS',
    describe: 'tokens sampled for a request that does not say how many',
  }),
  maxModelLength: setting<number | undefined>({
    kind: wholeNumber({ min: 1, max: 16_777_216 }),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_MAX_MODEL_LENGTH',
    describe: 'prompt and reply together, in tokens (default: what the server says of the model)',
  }),
  requestTimeoutSeconds: setting({
    // The clients of the Atropos wire wait 1,200 s.
    kind: number({ min: 1, max: 86_400 }),
    fallback: () => 1_200,
    environmentVariable: 'LACHESIS_REQUEST_TIMEOUT_SECONDS',
    describe: 'how long one completion may take before it is given up',
  }),
  toolCallParser: setting<string>({
    kind: oneOf(['auto', 'none', ...TOOL_CALL_FORMATS]),
    fallback: () => 'auto',
    environmentVariable: 'LACHESIS_TOOL_CALL_PARSER',
    describe: 'how the model writes tool calls; auto goes by its chat template',
  }),
  separateReasoning: setting({
    kind: flag(),
    fallback: () => false,
    describe: 'put thinking into reasoning_content instead of leaving it in the content',
  }),
  trajectoryApiUrl: setting({
    kind: address(),
    fallback: () => 'http://localhost:8000',
    environmentVariable: 'LACHESIS_TRAJECTORY_API_URL',
    describe: 'where calls that belong to the trajectory API are pointed to',
  }),
  controlUrl: setting({
    kind: address(),
    fallback: () => 'http://localhost:8080',
    environmentVariable: 'RL_API_URL',
    describe: 'where calls that belong to the control API are pointed to',
  }),
  wandbProject: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'WANDB_PROJECT',
    describe: 'project that /wandb_info names',
  }),
  wandbGroup: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'WANDB_RUN_GROUP',
    describe: 'group that /wandb_info names',
  }),
  // A prompt of a million tokens as ids is 7 MB.
  ...bodySettings({ largest: 16, together: 128 }),
};

/** The settings of the inference server with their types, as `readInferenceSettings` gives them. */
export type InferenceSettings = SettingValues<typeof INFERENCE_SETTINGS>;

/** Options before variables before defaults; throws a `SettingError` that names what is wrong. */
export function readInferenceSettings(
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<InferenceSettings> {
  return resolveSettings(INFERENCE_SETTINGS, options, env);
}
