import { MANAGED_PROFILE, SKYRL_PROFILE, TUFT_PROFILE, UNKNOWN_PROFILE } from './profiles.ts';
import type { ServerProfile } from './server-profile.ts';

/** What a server answered to the first three questions. */
export interface ProbeAnswers {
  /** The flags of `client/config`; undefined when it has no such address. */
  config: Readonly<Record<string, unknown>> | undefined;
  /** Whether `client/dynamic_config` exists. */
  hasDynamicConfig: boolean;
  /** The entries of `supported_models`. */
  models: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Names a server by what it answers, never by a version: a server that was updated tomorrow answers for itself. What is
 * wrong in the guess is corrected by the first refusal.
 */
export function chooseProfile({ config, hasDynamicConfig, models }: ProbeAnswers): {
  profile: ServerProfile;
  evidence: string[];
} {
  if (hasDynamicConfig) return { profile: MANAGED_PROFILE, evidence: ['client/dynamic_config is served'] };
  if (models.some((model) => Array.isArray(model['capabilities']))) {
    return { profile: TUFT_PROFILE, evidence: ['supported models tell their capabilities'] };
  }
  const flags = Object.keys(config ?? {});
  const tellsNamesOnly =
    models.length > 0 && models.every((model) => Object.keys(model).every((key) => key === 'model_name'));
  if (tellsNamesOnly && flags.length <= 1) {
    return {
      profile: SKYRL_PROFILE,
      evidence: ['supported models tell their names alone', `client/config has ${flags.length} flags`],
    };
  }
  return {
    profile: UNKNOWN_PROFILE,
    evidence: [`client/config has ${flags.length} flags`, 'no client/dynamic_config'],
  };
}
