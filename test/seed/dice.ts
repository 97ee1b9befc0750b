/** Numbers from 0 to 1 that are the same for the same seed, so that a home can be made again. */
export type Dice = () => number;

/** The generator mulberry32: short, and good enough for what only has to look uneven. */
export function createDice(seed: string): Dice {
  let state = 0;
  for (const letter of seed) state = (Math.imul(state, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(dice: Dice, list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
