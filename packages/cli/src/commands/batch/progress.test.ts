import { expect, it } from 'vitest';
import { createBatchProgress, formatRoughDuration } from './progress.ts';

const counts = { ready: 0, leased: 0, done: 0, discarded: 0, failed: 0, cost: 0 };

it('says how far, how fast, until when and for how much, counted from where the run was resumed', () => {
  let now = 0;
  const lines: string[] = [];
  const progress = createBatchProgress({ output: { write: (text) => lines.push(text) }, now: () => now, lineMs: 0 });
  progress.report({ ...counts, ready: 60, done: 40 });
  now = 10_000;
  progress.report({ ...counts, ready: 36, leased: 4, done: 58, failed: 2, cost: 1.25 });
  expect(lines).toEqual(['60/100 (60%) · 2 failed · 2.0/s · 20 s left · $1.2500\n']);
});

it('draws over its line in a terminal, and keeps what is said above it', () => {
  const lines: string[] = [];
  const progress = createBatchProgress({ output: { write: (text) => lines.push(text), isTTY: true, columns: 20 } });
  progress.report({ ...counts, ready: 1 });
  progress.log('a note');
  progress.end();
  expect(lines.join('')).toMatch(/a note\n/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(30);
});

it('writes times as people say them', () => {
  expect([8, 90, 3_600, 7_200].map(formatRoughDuration)).toEqual(['8 s', '2 min', '60 min', '2 h 0 min']);
});
