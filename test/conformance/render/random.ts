/** A small seeded generator (mulberry32): the same conversations on every machine, without storing them. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [0, below). */
  integer(below: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  list<T>(length: number, make: (index: number) => T): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    next,
    integer,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[integer(items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    list: (length, make) => Array.from({ length }, (_unused, index) => make(index)),
  };
}
