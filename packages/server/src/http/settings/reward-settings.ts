import { INFERENCE_SETTINGS } from './inference-settings.ts';
import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { homeSetting, portSetting, SERVER_SETTINGS } from './server-settings.ts';
import { text, wholeNumber } from './setting-kinds.ts';
import { setting } from './setting-spec.ts';

/** The settings of a server that answers with a reward model. */
export const REWARD_SETTINGS = {
  ...SERVER_SETTINGS,
  port: portSetting({ port: 8004, environmentVariable: 'LACHESIS_REWARD_PORT' }),
  home: homeSetting('folder for the SQLite database, which knows models and tokens'),
  engineUrl: INFERENCE_SETTINGS.engineUrl,
  tenant: INFERENCE_SETTINGS.tenant,
  tokenizer: INFERENCE_SETTINGS.tokenizer,
  maxBodyBytes: INFERENCE_SETTINGS.maxBodyBytes,
  bodyBudgetBytes: INFERENCE_SETTINGS.bodyBudgetBytes,
  model: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    describe: 'reward model of the registry: name, name@version or its id',
  }),
  maxTokens: setting({
    kind: wholeNumber({ min: 2, max: 1_000_000 }),
    fallback: () => 32_768,
    describe: 'longer conversations are refused',
  }),
};

export type RewardSettings = SettingValues<typeof REWARD_SETTINGS>;

/** Options before variables before defaults; throws a `SettingError` that names what is wrong. */
export function readRewardSettings(
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<RewardSettings> {
  return resolveSettings(REWARD_SETTINGS, options, env);
}
