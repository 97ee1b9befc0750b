import { toObject } from '../link/server-link.ts';
import { readDynamicFlags } from '../profile/client-flags.ts';
import type { ClientFlags } from '../profile/client-flags.ts';
import { startDeadline } from '../transport/deadline.ts';
import type { Transport } from '../transport/transport.ts';
import { SDK_VERSION } from './open-session.ts';

const REFRESH_TIMEOUT_MS = 10_000;

/**
 * Asks again for the flags a server changes while it runs, as often as it says, and writes them into `flags`. When it does
 * not answer, the last ones hold. Returns the function that ends it.
 */
export function refreshFlags({ transport, flags }: { transport: Transport; flags: ClientFlags }): () => void {
  const path = 'client/dynamic_config';
  const stopped = new AbortController();
  const refresh = async (): Promise<void> => {
    const deadline = startDeadline({
      timeoutMs: REFRESH_TIMEOUT_MS,
      signal: stopped.signal,
      clock: transport.clock,
    });
    try {
      const call = { path, json: { sdk_version: SDK_VERSION } };
      const reply = await transport.request(call, { deadline, maxAttempts: 1 });
      Object.assign(flags, readDynamicFlags(toObject(reply, path)));
    } catch (error) {
      if (stopped.signal.aborted) return;
      transport.onEvent({ type: 'operation-failed', modelId: '', operation: path, error: error as Error });
    }
    if (!stopped.signal.aborted) schedule();
  };
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    // `refresh` catches what fails. The timer does not keep a program alive that has nothing else to do.
    timer = setTimeout(() => void refresh(), flags.refreshMs).unref();
  };
  schedule();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}
