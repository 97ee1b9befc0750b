import { MASKED } from '@lachesis/protocol';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import type { EngineDelays } from './delayed-engine.ts';

/** The batches of a run, and how long its engine takes for them. */
export interface Workload {
  readonly name: string;
  readonly groups: number;
  readonly groupSize: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly delays: EngineDelays;
  /** Every so many steps the trainer's log probabilities are kept. */
  readonly logprobsInterval: number;
}

/** The toy of the tiny model, on an engine as quick as the one of `bench loop`. */
export const TOY: Workload = {
  ...{ name: 'the toy', groups: 4, groupSize: 16, promptTokens: 16, replyTokens: 8, logprobsInterval: 10 },
  delays: { passMs: 300, optimizerMs: 20, saveMs: 20 },
};

/**
 * 128 sequences of 8k tokens. A pass of four seconds is a quarter of a million tokens a second: more than eight GPUs train
 * of a small model, so that a real loop is slower and what is kept weighs less. Log probabilities are kept more than twice as often as by default.
 */
export const LONG: Workload = {
  ...{ name: '128 × 8k', groups: 16, groupSize: 8, promptTokens: 512, replyTokens: 7_680, logprobsInterval: 4 },
  delays: { passMs: 4_000, optimizerMs: 100, saveMs: 200 },
};

const WORDS = 'the sum of two and two is four because adding one twice gives the same '.split(' ');

/** Makes the groups of a step; `hasMessages` as environments send them when they are to be read. */
export function createGroups(
  workload: Workload,
  options: { hasMessages: boolean },
): (step: number) => EncodableGroup[] {
  const { groups, groupSize, promptTokens, replyTokens } = workload;
  const length = promptTokens + replyTokens;
  const rowLengths = new Uint32Array(groupSize).fill(length);
  const total = length * groupSize;
  const tokens = Int32Array.from({ length: total }, (_, place) => (place * 7919) % 150_000);
  const isPrompt = (place: number): boolean => place % length < promptTokens;
  const logprobs = Float32Array.from({ length: total }, (_, place) =>
    isPrompt(place) ? 1 : -1 + ((place % 41) - 20) / 100,
  );
  const reply = Array.from({ length: replyTokens }, (_, place) => WORDS[place % WORDS.length]).join(' ');
  return (step) =>
    Array.from({ length: groups }, (_, group) => {
      const own = tokens.slice();
      // What is equal would be one payload for all.
      own[0] = step;
      own[1] = group;
      const masks = own.map((token, place) => (isPrompt(place) ? MASKED : token));
      const messages = Array.from({ length: groupSize }, (_unused, row) => [
        { role: 'user', content: `Item ${group} of step ${step}` },
        { role: 'assistant', content: `${row} ${reply}` },
      ]);
      return {
        header: { environment: 'bench', item: `train-${group}` },
        tokens: { values: own, rowLengths },
        masks: { values: masks, rowLengths },
        scores: Float64Array.from({ length: groupSize }, (_unused, row) => row / groupSize),
        inferenceLogprobs: { values: logprobs, rowLengths },
        policyRanges: Uint32Array.from(
          Array.from({ length: groupSize }, (_unused, row) => [row, promptTokens, length, step]).flat(),
        ),
        ...(options.hasMessages ? { json: { messages: Buffer.from(JSON.stringify(messages)) } } : {}),
      };
    });
}
