/** The batch of the submit show. `submit_with_sdk.py` makes the same numbers, and the server compares their bytes. */
export const BATCH = Object.freeze({ sequences: 128, tokens: 8192, vocabulary: 150_000 });

/** The load of the sample show. */
export const SAMPLES = Object.freeze({ count: 2000, promptTokens: 256, sampledTokens: 64, delayMs: 3000 });

export const MODEL = 'recorded/model';

/** The arrays a trainer holds for one sequence before it is a datum. */
export interface SequenceArrays {
  readonly tokens: Int32Array;
  readonly targets: BigInt64Array;
  readonly logprobs: Float32Array;
  readonly advantages: Float32Array;
}

export function makeSequences(): SequenceArrays[] {
  const { sequences, tokens: length, vocabulary } = BATCH;
  return Array.from({ length: sequences }, (_, sequence) => {
    const id = (place: number): number => (sequence * 31 + place * 7) % vocabulary;
    return {
      tokens: Int32Array.from({ length }, (_each, place) => id(place)),
      targets: BigInt64Array.from({ length }, (_each, place) => BigInt(id(place + 1))),
      logprobs: Float32Array.from({ length }, (_each, place) => -(1 + ((sequence + place) % 97)) / 32),
      advantages: Float32Array.from({ length }, (_each, place) => (((sequence + place) % 13) - 6) / 4),
    };
  });
}
