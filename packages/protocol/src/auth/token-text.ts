/** How every token of ours begins, so that it can be told from a provider's key. */
export const TOKEN_PREFIX = 'lch_';

/** A token that stands for one address: `http://localhost:8001/key/<key>/v1`. */
export const KEY_PATH = '/key/';

const IN_TEXT = /(\/key\/)[^/?#\s]+|lch_[\w-]+/gi;

/** A path, an address or a sentence without the tokens in it, for whatever is shown, logged or kept. */
export function hideTokens(text: string): string {
  return text.replaceAll(IN_TEXT, (_, before: string | undefined) => `${before ?? ''}…`);
}
