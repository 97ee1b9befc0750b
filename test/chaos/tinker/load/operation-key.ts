/*
 * Every operation of the load has a number of its own that travels inside it, so that what a server carried out can be held
 * against what was called: as tokens, as a learning rate, as the name of a checkpoint.
 */

/** Token ids stay below the vocabulary of the tiny model, and away from its special ones. */
const TOKEN_BASE = 1_000;
const FIRST_TOKEN = 10;
const TAIL: readonly number[] = [7, 8];
/** Small enough to leave the weights nearly where they are. */
const RATE_UNIT = 1e-9;

/** Tokens that spell the number; always as many, because an engine compiles each new length. */
export const tokensOf = (mark: number): Int32Array =>
  Int32Array.of(FIRST_TOKEN + (mark % TOKEN_BASE), FIRST_TOKEN + Math.floor(mark / TOKEN_BASE), ...TAIL);

export function keyOfTokens(operation: string, tokens: ArrayLike<number> | undefined): string | undefined {
  // A pass that asks for nothing, as the client's own questions, spells none.
  if (tokens === undefined || tokens.length !== 2 + TAIL.length) return undefined;
  return `${operation}:${(tokens[0] ?? 0) - FIRST_TOKEN + ((tokens[1] ?? 0) - FIRST_TOKEN) * TOKEN_BASE}`;
}

export const learningRateOf = (mark: number): number => mark * RATE_UNIT;

const markOfLearningRate = (rate: number): number => Math.round(rate / RATE_UNIT);

/** A rate of 0 is the client's own, which clears gradients with it. */
export const keyOfLearningRate = (rate: number): string | undefined =>
  rate === 0 ? undefined : `optim_step:${markOfLearningRate(rate)}`;

export const nameOf = (mark: number): string => `m${mark}`;

/** A checkpoint is loaded once at most, so its name tells the load as well as the save. */
export function keyOfName(operation: string, path: unknown): string | undefined {
  const mark = /(?:^|\/)m(?<mark>\d+)$/.exec(String(path))?.groups?.['mark'];
  return mark === undefined ? undefined : `${operation}:${mark}`;
}

/** Which step a server's metrics are of; undefined when they were lost. */
export function readRateMark(metrics: Readonly<Record<string, number>>): number[] | undefined {
  const rate = metrics['learning_rate:mean'] ?? metrics['skyrl.ai/learning_rate'];
  return rate === undefined ? undefined : [markOfLearningRate(rate)];
}
