import { expect, test } from 'vitest';
import { addFailure, addRow, createAggregate, joinAggregates } from './aggregate.ts';
import { formatAggregate } from './format-aggregate.ts';
import { roundLikePython } from './round-like-python.ts';

// Right-hand sides are what Python 3.11 prints for round(value, digits).
test.each([
  [0.25, 1, '0.2'],
  [0.75, 1, '0.8'],
  [2.5, 2, '2.5'],
  [0.125, 2, '0.12'],
  [0.375, 2, '0.38'],
  [1, 4, '1.0'],
  [0.60555, 4, '0.6056'],
  [2.675, 2, '2.67'],
])('%f to %i digits is %s', (value, digits, printed) => {
  expect(String(roundLikePython(value, digits))).toBe(printed);
});

const times = { startedAt: new Date(0), endedAt: new Date(1_234) };
const names = { tokenizer: 'characters/4', summarizer: { kind: 'extractive' } };

test('a file without compressed rows has the known zeros', () => {
  const file = JSON.parse(JSON.stringify(formatAggregate(createAggregate(), times, names))) as Record<string, unknown>;
  expect(Object.keys(file).slice(0, 6)).toEqual([
    'summary',
    'tokens',
    'turns',
    'averages',
    'summarization',
    'processing',
  ]);
  expect(file['averages']).toEqual({
    avg_compression_ratio: 1,
    avg_tokens_saved_per_compressed: 0,
    avg_turns_removed_per_compressed: 0,
  });
  expect(file['processing']).toMatchObject({ duration_seconds: 1.23 });
});

test('a row that failed is counted as failed alone, with what was spent on it', () => {
  const sums = createAggregate();
  addRow(sums, {
    ...{ originalTokens: 10, compressedTokens: 10, originalTurns: 2, compressedTurns: 2, region: undefined },
    ...{ isStillOverLimit: false, isSkippedUnderTarget: true, calls: 0, errors: 0 },
  });
  addFailure(sums, { file: 'a', line: 2, reason: 'no' }, { calls: 3, errors: 3 });
  expect(joinAggregates([sums, sums])).toMatchObject({
    rows: 2,
    compressed: 0,
    skipped: 2,
    failed: 2,
    calls: 6,
    errors: 6,
  });
});
