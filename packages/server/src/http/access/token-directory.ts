import { isScope } from '@lachesis/protocol';
import { countTokens, findTokens, NOTE_USE_MS, noteTokenUse, renewSession, type Store } from '@lachesis/store';
import type { TokenDirectory } from './authenticate.ts';
import { SESSION_MS } from './sessions.ts';

type Token = NonNullable<Awaited<ReturnType<typeof findTokens>>[number]>;

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

  // Hundreds of pages have a token each and are judged at one moment: all that is asked in a turn is one question.
  let turn: { tokens: string[]; answers: Promise<(Token | undefined)[]> } | undefined;
  const findInTurn = async (token: string): Promise<Token | undefined> => {
    if (turn === undefined) {
      const tokens: string[] = [];
      const answers = Promise.resolve().then(() => {
        turn = undefined;
        return findTokens({ store, tokens });
      });
      turn = { tokens, answers };
    }
    const place = turn.tokens.push(token) - 1;
    return (await turn.answers)[place];
  };

  return {
    async find(token) {
      const found = await findInTurn(token);
      if (found === undefined) return null;
      noteUse(found);
      const { tenantId, tokenId, run } = found;
      return { tenantId, tokenId, run, scopes: found.scopes.filter(isScope) };
    },
    count: () => countTokens({ store }),
  };
}
