import { MASKED, type ChatMessage } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import type { Attempt } from './content/tasks.ts';
import type { Dice } from './dice.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface MakeGroupOptions {
  environment: string;
  item: string;
  attempts: readonly Attempt[];
  vocabulary: Vocabulary;
  /** Of the weights that sampled it. */
  policyVersion: number;
  dice: Dice;
}

/** What the tokens of a prompt have in place of a log probability. */
const NOT_SAMPLED = 1;

/** The rollouts of one task as an environment sends them: tokens by a chat template, of which the policy's own are trained on. */
export function makeGroup(options: MakeGroupOptions): EncodableGroup {
  const { environment, item, attempts, vocabulary, policyVersion, dice } = options;
  const rows = attempts.map(({ messages }) => encodeTalk(messages, vocabulary));
  const rowLengths = Uint32Array.from(rows, ({ length }) => length);
  const tokens = rows.flat();
  return {
    header: { environment, item },
    tokens: { values: Int32Array.from(tokens, ({ token }) => token), rowLengths },
    masks: { values: Int32Array.from(tokens, ({ token, isSampled }) => (isSampled ? token : MASKED)), rowLengths },
    scores: Float64Array.from(attempts, ({ reward }) => reward),
    inferenceLogprobs: {
      values: Float32Array.from(tokens, ({ isSampled }) => (isSampled ? sampleLogprob(dice) : NOT_SAMPLED)),
      rowLengths,
    },
    policyRanges: Uint32Array.from(
      rows.flatMap((row, index) => [
        ...[index, row.findIndex(({ isSampled }) => isSampled), row.length, policyVersion],
      ]),
    ),
    json: { messages: Buffer.from(JSON.stringify(attempts.map(({ messages }) => messages))) },
  };
}

function encodeTalk(messages: readonly ChatMessage[], vocabulary: Vocabulary): { token: number; isSampled: boolean }[] {
  return messages.flatMap((message) => {
    const isSampled = message.role === 'assistant';
    const calls = (message.tool_calls ?? []).map((call) => `<tool_call>${JSON.stringify(call.function)}</tool_call>`);
    const said = `${typeof message.content === 'string' ? message.content : ''}${calls.join('')}<|im_end|>`;
    const own = vocabulary.encode(said).map((token) => ({ token, isSampled }));
    const around = (text: string) => vocabulary.encode(text).map((token) => ({ token, isSampled: false }));
    return [...around(`<|im_start|>${message.role}\n`), ...own, ...around('\n')];
  });
}

/** Most tokens are sure, and some are not. */
const sampleLogprob = (dice: Dice): number => -(dice() ** 6) * 4 - dice() * 0.02;
