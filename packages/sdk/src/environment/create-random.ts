/** Numbers that look random and are the same for the same seed. Not for secrets. */
export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** One of the list; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** A copy in another order. */
  shuffle<T>(list: readonly T[]): T[];
  /** A source of its own, which does not depend on how much was drawn from this one. */
  fork(...labels: readonly (string | number)[]): Random;
}

/** A source for a seed and the labels of what it is for, such as `train`, item 3, rollout 5. */
export function createRandom(...seed: readonly (string | number)[]): Random {
  const name = seed.join('\u0000');
  const next = sfc32(hash128(name));
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    integer,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('nothing can be picked from an empty list');
      return list[integer(0, list.length - 1)] as T;
    },
    shuffle<T>(list: readonly T[]): T[] {
      const copy = [...list];
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = integer(0, last);
        [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
      }
      return copy;
    },
    fork: (...labels) => createRandom(name, ...labels),
  };
}

/** Servers of every kind take a seed of 31 bits. */
export const drawSeed = (random: Random): number => random.integer(0, 0x7fff_ffff);

type State = [number, number, number, number];

function hash128(text: string): State {
  const state: State = [0x9e37_79b9, 0x243f_6a88, 0xb7e1_5162, 0xdead_beef];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    for (let word = 0; word < 4; word += 1) {
      state[word] = Math.imul((state[word] ?? 0) ^ code ^ word, 0x0100_0193 + word * 0x2f0a);
      state[word] = (state[word] ?? 0) ^ ((state[word] ?? 0) >>> 15);
    }
  }
  return state;
}

/** "Small fast counter" of 32 bits, by Chris Doty-Humphrey: public domain, passes PractRand. */
function sfc32(state: State): () => number {
  let [a, b, c, counter] = state;
  const draw = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  };
  // Similar seeds begin alike; after a dozen draws nothing of that is left.
  for (let warm = 0; warm < 12; warm += 1) draw();
  return draw;
}
