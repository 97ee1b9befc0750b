const STATE_SIZE = 624;
const SHIFT = 397;

/** The part of Python's `random.Random(seed)` that drawing a sample needs. */
export interface PythonRandom {
  /** `randrange(end)`, for an end below 2³². */
  below(end: number): number;
}

/** Mersenne Twister as Python seeds it with a whole number, so that the same seed draws the same rows here and there. */
export function createPythonRandom(seed: number): PythonRandom {
  const state = seedState(splitSeed(seed));
  let at = STATE_SIZE;
  const next32 = (): number => {
    if (at === STATE_SIZE) {
      twist(state);
      at = 0;
    }
    let value = state[at] ?? 0;
    at += 1;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  };
  return {
    below(end) {
      const unused = Math.clz32(end);
      // Bits that give a number too big are thrown away, not folded: every number is equally likely.
      for (;;) {
        const drawn = next32() >>> unused;
        if (drawn < end) return drawn;
      }
    },
  };
}

/** 32 bits at a time, the lowest first; the sign is dropped. */
function splitSeed(seed: number): number[] {
  let rest = BigInt(Math.abs(Math.trunc(seed)));
  const parts: number[] = [];
  do {
    parts.push(Number(rest & 0xffffffffn));
    rest >>= 32n;
  } while (rest > 0n);
  return parts;
}

function seedState(key: readonly number[]): Uint32Array {
  const state = new Uint32Array(STATE_SIZE);
  const mix = (place: number): number => {
    const before = state[place - 1] ?? 0;
    return (before ^ (before >>> 30)) >>> 0;
  };
  state[0] = 19_650_218;
  for (let place = 1; place < STATE_SIZE; place += 1) state[place] = Math.imul(1_812_433_253, mix(place)) + place;
  let place = 1;
  const step = (): void => {
    place += 1;
    if (place < STATE_SIZE) return;
    state[0] = state[STATE_SIZE - 1] ?? 0;
    place = 1;
  };
  for (let round = 0; round < Math.max(STATE_SIZE, key.length); round += 1) {
    const part = round % key.length;
    state[place] = ((state[place] ?? 0) ^ Math.imul(mix(place), 1_664_525)) + (key[part] ?? 0) + part;
    step();
  }
  for (let round = 1; round < STATE_SIZE; round += 1) {
    state[place] = ((state[place] ?? 0) ^ Math.imul(mix(place), 1_566_083_941)) - place;
    step();
  }
  state[0] = 0x80000000;
  return state;
}

function twist(state: Uint32Array): void {
  for (let place = 0; place < STATE_SIZE; place += 1) {
    const joined = ((state[place] ?? 0) & 0x80000000) | ((state[(place + 1) % STATE_SIZE] ?? 0) & 0x7fffffff);
    state[place] = (state[(place + SHIFT) % STATE_SIZE] ?? 0) ^ (joined >>> 1) ^ ((joined & 1) === 1 ? 0x9908b0df : 0);
  }
}
