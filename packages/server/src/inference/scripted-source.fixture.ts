import type { SampledReply, SampledTokens, TokenSample, Weights, WeightsSource } from './policy/weights-source.ts';

/** Decides what the weights say. */
export type Script = (request: TokenSample, weights: Weights) => Promise<SampledReply> | SampledReply;

export interface ScriptedSource extends WeightsSource {
  readonly opened: Weights[];
  readonly closed: Weights[];
  readonly requests: TokenSample[];
}

/** Weights that say what a test wrote, and remember what they were asked. */
export function createScriptedSource(script: Script, onOpen?: (weights: Weights) => Promise<void>): ScriptedSource {
  const opened: Weights[] = [];
  const closed: Weights[] = [];
  const requests: TokenSample[] = [];
  return {
    opened,
    closed,
    requests,
    async open(weights) {
      await onOpen?.(weights);
      opened.push(weights);
      return {
        sample: async (request) => {
          requests.push(request);
          return script(request, weights);
        },
        close: async () => void closed.push(weights),
      };
    },
    close: async () => undefined,
  };
}

/** The bytes of a text as tokens of the tiny model; `ids` are added behind. */
export function sampled(text: string, ids: readonly number[] = []): SampledTokens {
  const tokens = Int32Array.from([...Buffer.from(text), ...ids]);
  return { tokens, logprobs: Float32Array.from(tokens, (_, index) => -0.5 - index / 8), stopReason: 'stop' };
}

/** Ids of the tiny model's special tokens. */
export const IM_START = 256;
export const IM_END = 257;
