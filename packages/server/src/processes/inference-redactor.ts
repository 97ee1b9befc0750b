import { collectSecretValues, createRedactor, type Redactor } from '@lachesis/protocol';
import { rememberShortTexts } from '../loop/inference/recording/remember-short-texts.ts';
import type { InferenceSettings } from '../platform/settings/inference-settings.ts';

/** What is taken out of records here: what is known everywhere, and what the settings and the environment add. */
export function openRedactor(
  settings: Pick<InferenceSettings, 'redactNames' | 'redactVariables' | 'redactPattern'>,
  environment: Readonly<Record<string, string | undefined>>,
): Redactor {
  const { redactNames, redactVariables, redactPattern } = settings;
  const named = redactVariables.flatMap((name) => environment[name] ?? []).filter((value) => value !== '');
  return rememberShortTexts(
    createRedactor({
      secrets: [...new Set([...collectSecretValues(environment), ...named])],
      names: redactNames,
      ...(redactPattern === undefined
        ? {}
        : { patterns: [{ name: 'pattern', pattern: new RegExp(redactPattern, 'u') }] }),
    }),
  );
}
