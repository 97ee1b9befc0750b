import { isProviderUrl } from '@lachesis/protocol';
import type { ServerConfig } from './server-config.ts';

/** Closed APIs: they speak OpenAI's way only, and have no route for health. */
export const isExternal = ({ base_url: url, server_type: type }: ServerConfig): boolean =>
  isProviderUrl(url) || type === 'openrouter';
