import { expect, test } from 'vitest';
import { thinPoints } from './thin-points.ts';

const MANY = 100_000;
const steps = Array.from({ length: MANY }, (_, index) => index * 2);
const flat = steps.map(() => 1);

function thin(values: (number | null)[], more: { range?: [number, number] } = {}) {
  const low = values.map((value) => (value === null ? null : value - 1));
  const high = values.map((value) => (value === null ? null : value + 1));
  const { steps: kept, lines } = thinPoints({ steps, lines: [{ name: 'reward', values, low, high }], ...more });
  return { kept, line: lines[0]! };
}

test('few points are what they were', () => {
  const data = { steps: [1, 2, 3], lines: [{ name: 'reward', values: [1, null, 3] }] };
  expect(thinPoints(data)).toBe(data);
});

test('the one point that stands out of a hundred thousand is drawn at its step', () => {
  const { kept, line } = thin(flat.with(77_777, 9).with(3, -9));
  expect(kept.length).toBeLessThan(8_000);
  expect(line.values[kept.indexOf(155_554)]).toBe(9);
  expect(line.values[kept.indexOf(6)]).toBe(-9);
  expect(kept).toEqual([...new Set(kept)].sort((one, other) => one - other));
  expect([kept[0], kept.at(-1)]).toEqual([0, (MANY - 1) * 2]);
});

test('a band goes around what was left out', () => {
  const values = steps.map((_, index) => index % 7);
  const { line } = thin(values);
  expect(Math.min(...line.low!.map((value) => value ?? 0))).toBe(-1);
  expect(Math.max(...line.high!.map((value) => value ?? 0))).toBe(7);
});

test('a stretch without a measure stays one', () => {
  const { kept, line } = thin(flat.map((value, index) => (index >= 40_000 && index < 60_000 ? null : value)));
  const within = line.values.filter((_, place) => kept[place]! > 81_000 && kept[place]! < 119_000);
  expect(within.length).toBeGreaterThan(100);
  expect(within.every((value) => value === null)).toBe(true);
});

test('a stretch in view has all of its points once they are few, and a neighbour on each side', () => {
  const { kept } = thin(flat, { range: [1_000, 41_000] });
  expect([kept[0], kept.at(-1)]).toEqual([998, 41_002]);
  const { kept: all } = thin(flat, { range: [1_000, 1_010] });
  expect(all).toHaveLength(MANY);
});
