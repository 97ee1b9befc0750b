import type { Tokenizer } from '@lachesis/sdk/render';

/** A small generator of numbers below 2^32, the same for the same seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Tokens that a model may sample and no encoder would write: words cut in other places, parts of characters, markers in
 * the middle of a word. It ends with a stop token.
 */
export function makeOddTokens(tokenizer: Tokenizer, seed: number, length: number): number[] {
  const random = createRandom(seed);
  const plain = tokenizer.vocabularySize - tokenizer.addedTokens.length;
  const stops = [...tokenizer.stopTokens];
  const tokens: number[] = [];
  while (tokens.length < length) {
    const token = random(plain);
    if (!tokenizer.stopTokens.has(token)) tokens.push(token);
  }
  return [...tokens, stops[random(stops.length)] ?? 0];
}
