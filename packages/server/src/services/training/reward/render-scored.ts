import { renderMessages, type TemplateMessage, type Tool, type Tokenizer } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';

/** The two tokens whose odds are the score: one character each, so that any tokenizer has each as one token. */
const VERDICTS = Object.freeze({ good: '1', bad: '0' });

/** Sequences that end in each verdict. Everything before the last token is the same in both. */
export interface ScoredSequences {
  readonly good: Datum;
  readonly bad: Datum;
}

/**
 * A conversation, closed as its template closes it, and behind it a token that says what the last reply is worth. The score is
 * log p(good) − log p(bad): a difference of two logits, so it has no bound that it could run into.
 */
export async function renderScored(options: {
  tokenizer: Tokenizer;
  messages: readonly TemplateMessage[];
  tools?: readonly Tool[] | undefined;
}): Promise<ScoredSequences> {
  const { tokenizer, messages, tools } = options;
  const { tokens } = await renderMessages({ tokenizer, messages, tools, addGenerationPrompt: false });
  const [good, bad] = await Promise.all([findVerdict(tokenizer, VERDICTS.good), findVerdict(tokenizer, VERDICTS.bad)]);
  return { good: endWith(tokens, good), bad: endWith(tokens, bad) };
}

/** A datum that predicts one token behind the given ones, and nothing else. */
export function endWith(tokens: Int32Array, last: number): Datum {
  const targets = new Int32Array(tokens.length);
  targets.set(tokens.subarray(1));
  targets[tokens.length - 1] = last;
  const weights = new Float32Array(tokens.length);
  weights[tokens.length - 1] = 1;
  return { tokens, inputs: { target_tokens: targets, weights } };
}

export async function findVerdict(tokenizer: Tokenizer, text: string): Promise<number> {
  const tokens = await tokenizer.encodeAsText(text);
  // A tokenizer that writes something in front of a word, such as a space of its own, still ends with the character.
  return tokens.at(-1)!;
}
