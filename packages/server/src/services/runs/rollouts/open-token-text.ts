import { loadTokenizer, type Tokenizer } from '@lachesis/sdk/render';
import type { RolloutDeps, TokenText } from './rollout-deps.ts';

/** A tokenizer is some ten megabytes; a server reads the runs of few models at a time. */
const MOST_LOADED = 4;

/** Opens tokenizers that are on this machine, and keeps the last ones. Nothing is fetched: reading must not wait for a hub. */
export function createTokenTexts(
  options: { env?: NodeJS.ProcessEnv; load?: typeof loadTokenizer } = {},
): RolloutDeps['openTokenText'] {
  const { env = process.env, load = loadTokenizer } = options;
  const opened = new Map<string, Promise<TokenText | undefined>>();
  return async (name) => {
    const known = opened.get(name);
    if (known !== undefined) return await known;
    const opening = load({ model: name, env: { ...env, HF_HUB_OFFLINE: '1' } }).then(
      createTokenText,
      // Text is a convenience: the tokens are the record, and are shown without it. It may be there next time.
      () => {
        opened.delete(name);
        return undefined;
      },
    );
    opened.set(name, opening);
    const [oldest] = opened.keys();
    if (opened.size > MOST_LOADED && oldest !== undefined) opened.delete(oldest);
    return await opening;
  };
}

function createTokenText(tokenizer: Pick<Tokenizer, 'bytesOf' | 'decode'>): TokenText {
  const pieces = new Map<number, string>();
  const spelt = new Map<number, Uint8Array>();
  const readPiece = (token: number): Promise<string> => tokenizer.decode([token], { skipSpecialTokens: false });
  return {
    decode: (tokens) => tokenizer.decode(tokens, { skipSpecialTokens: false }),
    async split(tokens) {
      for (const token of tokens) {
        if (!pieces.has(token)) pieces.set(token, await readPiece(token));
      }
      return tokens.map((token) => pieces.get(token) ?? '');
    },
    async spell(tokens) {
      const found: Uint8Array[] = [];
      for (const token of tokens) {
        const bytes = spelt.get(token) ?? tokenizer.bytesOf(token) ?? new TextEncoder().encode(await readPiece(token));
        spelt.set(token, bytes);
        found.push(bytes);
      }
      return found;
    },
  };
}
