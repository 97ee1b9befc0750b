import type { CompressionSettings } from '@lachesis/data';
import { findModelServer } from '../../flags/model-server.ts';

const OPENROUTER_KEY = 'OPENROUTER_API_KEY';

/** The key of the summariser. The one of OpenRouter, which settings name when nobody says another, goes to OpenRouter alone. */
export function findSummarizerKey(
  { apiKeyEnv, baseUrl }: Pick<CompressionSettings, 'apiKeyEnv' | 'baseUrl'>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (apiKeyEnv === OPENROUTER_KEY) return findModelServer({ 'base-url': baseUrl }, env)?.apiKey;
  return env[apiKeyEnv] || undefined;
}
