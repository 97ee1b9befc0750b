import type { Tokenizer } from '@lachesis/sdk/render';

/** The text of single tokens, remembered: replies with log probabilities name every one. */
export class TokenTexts {
  readonly #tokenizer: Tokenizer;
  readonly #known = new Map<number, string>();

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  async read(tokens: Int32Array): Promise<string[]> {
    const unknown = [...new Set(tokens)].filter((token) => !this.#known.has(token));
    const texts = await Promise.all(unknown.map((token) => this.#tokenizer.decode([token])));
    for (const [index, token] of unknown.entries()) this.#known.set(token, texts[index] ?? '');
    return Array.from(tokens, (token) => this.#known.get(token) ?? '');
  }
}
