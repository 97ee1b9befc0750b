import { renderMessages, type Tokenizer } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';
import type { PreferenceRecord, ChatMessage } from '@lachesis/protocol';
import { endWith, findVerdict } from '../../../packages/server/src/services/training/reward/render-scored.ts';

/** A pair as a question that is answered with one letter, asked both ways round. */
export interface ComparisonSequences {
  /** The preferred reply is A: with the answer A, and with the answer B. */
  readonly first: { readonly right: Datum; readonly wrong: Datum };
  /** The preferred reply is B. */
  readonly second: { readonly right: Datum; readonly wrong: Datum };
}

/** One side in plain words: who compares reads both as text, not as turns of its own. */
const write = (messages: readonly Pick<ChatMessage, 'content' | 'role'>[]): string =>
  messages
    .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`)
    .join('\n');

/**
 * The other way to a reward model: one that reads two replies and answers A or B. It is measured against the scoring token in
 * docs/decisions/2026-11-15-reward-model.md, and is not what is served.
 */
export async function renderComparison(record: PreferenceRecord, tokenizer: Tokenizer): Promise<ComparisonSequences> {
  const [a, b] = await Promise.all([findVerdict(tokenizer, 'A'), findVerdict(tokenizer, 'B')]);
  const ask = async (left: readonly ChatMessage[], right: readonly ChatMessage[]): Promise<Int32Array> => {
    const content = `${write(record.prompt)}\nA: ${write(left)}\nB: ${write(right)}\nA or B?`;
    const messages = [{ role: 'user', content }];
    return (await renderMessages({ tokenizer, messages, addGenerationPrompt: true })).tokens;
  };
  const [first, second] = await Promise.all([ask(record.chosen, record.rejected), ask(record.rejected, record.chosen)]);
  return {
    first: { right: endWith(first, a), wrong: endWith(first, b) },
    second: { right: endWith(second, b), wrong: endWith(second, a) },
  };
}
