import type { PythonRandom } from './create-python-random.ts';

export interface ChooseSampleOptions {
  /** How many rows there are. */
  readonly rows: number;
  readonly percent: number;
  readonly random: PythonRandom;
}

/** The places of a sample: those that `random.sample` of Python draws, in the order of the file. */
export function chooseSample({ rows, percent, random }: ChooseSampleOptions): ReadonlySet<number> {
  const size = Math.min(rows, Math.max(1, Math.trunc((rows * percent) / 100)));
  return isPoolCheaper(rows, size) ? drawFromPool(rows, size, random) : drawFromAll(rows, size, random);
}

/** Which of its two ways Python takes, by the memory of each. */
function isPoolCheaper(rows: number, size: number): boolean {
  const setSize = 21 + (size > 5 ? 4 ** Math.ceil(Math.log(size * 3) / Math.log(4)) : 0);
  return rows <= setSize;
}

function drawFromPool(rows: number, size: number, random: PythonRandom): Set<number> {
  const pool = Uint32Array.from({ length: rows }, (_unused, place) => place);
  const drawn = new Set<number>();
  for (let count = 0; count < size; count += 1) {
    const place = random.below(rows - count);
    drawn.add(pool[place] ?? 0);
    pool[place] = pool[rows - count - 1] ?? 0;
  }
  return drawn;
}

function drawFromAll(rows: number, size: number, random: PythonRandom): Set<number> {
  const drawn = new Set<number>();
  while (drawn.size < size) drawn.add(random.below(rows));
  return drawn;
}
