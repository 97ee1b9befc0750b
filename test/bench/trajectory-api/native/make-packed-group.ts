import { encodeGroup } from '@lachesis/protocol/codec';
import type { EncodableGroup } from '@lachesis/protocol/codec';

import { createRandom } from '../bodies/random.ts';

const VOCABULARY = 151_000;
const MASKED = -100;

/** A group without a name; `packGroup` gives it one. */
export type UnnamedGroup = Omit<EncodableGroup, 'header'>;

/** The typed arrays of one group: a quarter prompt, then sampled tokens with single-precision logprobs, one policy version. */
export function makeUnnamedGroup(options: { sequences: number; tokens: number; seed: number }): UnnamedGroup {
  const { sequences, tokens, seed } = options;
  const random = createRandom(seed);
  const count = sequences * tokens;
  const promptTokens = Math.floor(tokens / 4);
  const tokenIds = new Uint32Array(count);
  const masks = new Int32Array(count);
  const logprobs = new Float32Array(count);
  for (let index = 0; index < count; index += 1) {
    const isPrompt = index % tokens < promptTokens;
    tokenIds[index] = Math.floor(random() ** 3 * VOCABULARY);
    masks[index] = isPrompt ? MASKED : (tokenIds[index] ?? 0);
    logprobs[index] = isPrompt ? 1 : -(random() ** 4) * 8 - 1e-7;
  }
  const rowLengths = new Uint32Array(sequences).fill(tokens);
  return {
    tokens: { values: tokenIds, rowLengths },
    masks: { values: masks, rowLengths },
    scores: Float32Array.from({ length: sequences }, (_, sequence) => sequence % 2),
    inferenceLogprobs: { values: logprobs, rowLengths },
    policyRanges: Uint32Array.from(
      Array.from({ length: sequences }, (_, sequence) => [sequence, promptTokens, tokens, 1]).flat(),
    ),
  };
}

/** The packed bytes; the id makes them unique, so that a content-addressed store has to write each of them. */
export function packGroup(group: UnnamedGroup, options: { groupId: string; environment: string }): Uint8Array {
  return encodeGroup({ ...group, header: { group_id: options.groupId, environment: options.environment } });
}
