import { isScope } from '@lachesis/protocol';
import { countTokens, findToken, NOTE_USE_MS, noteTokenUse, renewSession, type Store } from '@lachesis/store';
import type { TokenDirectory } from './authenticate.ts';
import { SESSION_MS } from './sessions.ts';

type Token = NonNullable<Awaited<ReturnType<typeof findToken>>>;

/** The tokens of a store. */
export function createTokenDirectory(
  store: Store,
  { monotonic = () => performance.now() }: { monotonic?: () => number } = {},
): TokenDirectory {
  const noted = new Map<string, number>();

  const noteUse = ({ tenantId, tokenId, kind }: Token): void => {
    const now = monotonic();
    const last = noted.get(tokenId);
    if (last !== undefined && now - last < NOTE_USE_MS) return;
    noted.set(tokenId, now);
    // Nobody waits for it, and a request is not refused because it could not be written: the next one tries again.
    const write =
      kind === 'session'
        ? renewSession({ store, tenantId, tokenId, lifetimeMs: SESSION_MS })
        : noteTokenUse({ store, tenantId, tokenId });
    void write.catch(() => noted.delete(tokenId));
  };

  return {
    async find(token) {
      const found = await findToken({ store, token });
      if (found === undefined) return null;
      noteUse(found);
      const { tenantId, tokenId, run } = found;
      return { tenantId, tokenId, run, scopes: found.scopes.filter(isScope) };
    },
    count: () => countTokens({ store }),
  };
}
