import { ClientError } from '../../clients/client-error.ts';
import type { Clock } from '@lachesis/protocol';
import { requestBytes } from '../../clients/request.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { EnvironmentError } from '../environment-error.ts';

const HEALTH_TIMEOUT_MS = 10_000;
const ASK_AGAIN_MS = 1_000;

/**
 * Asks each server for its models. Any answer shows that it is there. With `onWaiting` one that is away is waited for: stations
 * start in any order. Without, it is refused at once.
 */
export async function checkServers({
  servers,
  signal,
  clock,
  fetch: send = globalThis.fetch,
  onWaiting,
}: {
  servers: readonly ServerConfig[];
  signal: AbortSignal;
  clock: Clock;
  fetch?: typeof fetch;
  onWaiting?: ((reason: string) => void) | undefined;
}): Promise<void> {
  for (const { base_url: url, health_check: isWanted, api_key: key } of servers) {
    if (!isWanted) continue;
    for (;;) {
      const failure = await ask(url, key, send, signal);
      if (failure === undefined) break;
      if (onWaiting === undefined) {
        throw new EnvironmentError({
          kind: 'bad-server',
          reason: `The inference server at ${url} does not answer: ${failure}.`,
          hint: 'Start it, correct --openai.base_url, or skip the question with --openai.health_check false.',
        });
      }
      onWaiting(`the inference server at ${url} does not answer`);
      await clock.sleep(ASK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}

async function ask(url: string, key: string, send: typeof fetch, signal: AbortSignal): Promise<string | undefined> {
  try {
    await requestBytes({
      url,
      method: 'GET',
      path: '/models',
      fetch: send,
      signal,
      timeoutMs: HEALTH_TIMEOUT_MS,
      ...(key === '' ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!ClientError.isInstance(error)) throw error;
    return error.status === undefined || error.status >= 500 ? error.reason : undefined;
  }
}
