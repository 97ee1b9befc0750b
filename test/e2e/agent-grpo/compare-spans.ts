/** One reply: what stood before it, and what was sampled. */
export interface Span {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

/** One sequence as it is trained on. */
export interface TrainedRow {
  readonly tokens: readonly number[];
  readonly isTrained: readonly boolean[];
  /** One for each token; those of tokens that are not trained on do not matter. */
  readonly logprobs: readonly number[];
}

/** The replies in a sequence. Between two of them there is always something the model did not write. */
export function listSpans({ tokens, isTrained, logprobs }: TrainedRow): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < tokens.length; start += 1) {
    if (isTrained[start] !== true) continue;
    let end = start;
    while (isTrained[end] === true) end += 1;
    spans.push({
      prompt: tokens.slice(0, start),
      tokens: tokens.slice(start, end),
      logprobs: logprobs.slice(start, end),
    });
    start = end;
  }
  return spans;
}

/** How many of the trained replies were never sampled in their place, id for id and with those logprobs. Each sample counts once. */
export function countStrangers(trained: readonly Span[], sampled: readonly Span[]): number {
  const left = new Map<string, number>();
  for (const span of sampled) left.set(keyOf(span), (left.get(keyOf(span)) ?? 0) + 1);
  let strangers = 0;
  for (const span of trained) {
    const count = left.get(keyOf(span)) ?? 0;
    if (count === 0) strangers += 1;
    else left.set(keyOf(span), count - 1);
  }
  return strangers;
}

/** Logprobs are float32 on the way, and text of a double in the engine's books. */
const keyOf = ({ prompt, tokens, logprobs }: Span): string =>
  [prompt, tokens, logprobs.map(Math.fround)].map((values) => values.join()).join('|');
