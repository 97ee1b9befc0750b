import type { ServerConfig } from './server-config.ts';

/** Hosts of closed APIs: they speak OpenAI's way only, and have no route for health. */
const EXTERNAL_HOSTS = [
  'openrouter.ai',
  'api.openai.com',
  'api.anthropic.com',
  'generativelanguage.googleapis.com',
  'api.together.xyz',
  'api.fireworks.ai',
  'api.groq.com',
  'api.deepseek.com',
  'api.mistral.ai',
  'api.x.ai',
] as const;

export function isExternal({ base_url: url }: Pick<ServerConfig, 'base_url'>): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return EXTERNAL_HOSTS.some((known) => host === known || host.endsWith(`.${known}`));
}
