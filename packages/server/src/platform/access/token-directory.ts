import { isScope } from '@lachesis/protocol';
import { countTokens, findToken, type Store } from '@lachesis/store';
import type { TokenDirectory } from './authenticate.ts';

/** The tokens of a store. */
export function createTokenDirectory(store: Store): TokenDirectory {
  return {
    async find(token) {
      const found = await findToken({ store, token });
      if (found === undefined) return null;
      return { tenantId: found.tenantId, tokenId: found.tokenId, scopes: found.scopes.filter(isScope) };
    },
    count: () => countTokens({ store }),
  };
}
