import type { EngineSample } from '../../conformance/inference/scripted-engine.ts';
import type { PreparedBatch } from '../../peers/atropos/start-trainer.ts';

/** The example trainer pads to a multiple of this, plus the token that the shift takes away. */
const MULTIPLE = 64;
const MASKED = -100;
const NOT_SAMPLED = 1;

/** One sequence as a trainer sees it. Numbers as text, because a row is the same to the last bit or it is another. */
export type Row = string;

/** The rows that the samples of the engine must become: shifted by one, the prompt masked, advantages by group. */
export function expectRows(samples: readonly EngineSample[], scoreOf: (tokens: readonly number[]) => number): Set<Row> {
  const rows = new Set<Row>();
  for (const { prompt, sequences } of samples) {
    const scores = sequences.map(({ tokens }) => scoreOf(tokens));
    const mean = average(scores);
    const deviation = Math.sqrt(average(scores.map((score) => (score - mean) ** 2)));
    sequences.forEach(({ tokens, logprobs }, index) => {
      const masked = prompt.map(() => MASKED);
      rows.add(
        writeRow({
          tokens: fill([...prompt, ...tokens], 0).slice(0, -1),
          labels: fill([...masked, ...tokens], MASKED).slice(1),
          logprobs: fill([...masked.map(() => NOT_SAMPLED), ...logprobs], NOT_SAMPLED).slice(1),
          advantage: (scores[index]! - mean) / Math.max(deviation, 1e-8),
        }),
      );
    });
  }
  return rows;
}

/** The rows of the tensors that the example trainer made. */
export function readRows(batches: readonly PreparedBatch[]): Row[] {
  return batches.flatMap(({ tokens, labels, advantages, logprobs }) =>
    tokens.flatMap((micro, batch) =>
      micro.values.map((row, index) =>
        writeRow({
          tokens: row,
          labels: labels[batch]?.values[index] ?? [],
          logprobs: logprobs?.[batch]?.values[index] ?? [],
          advantage: advantages[batch]?.values[index]?.[0] ?? Number.NaN,
        }),
      ),
    ),
  );
}

function writeRow(row: {
  tokens: readonly number[];
  labels: readonly number[];
  logprobs: readonly number[];
  advantage: number;
}): Row {
  // Python and we add the squares in another order: the last digits of a deviation are not comparable.
  return JSON.stringify([row.tokens, row.labels, row.logprobs.map(Math.fround), row.advantage.toFixed(9)]);
}

function fill(values: readonly number[], filler: number): number[] {
  const length = Math.ceil((values.length - 1) / MULTIPLE) * MULTIPLE + 1;
  return [...values, ...Array.from({ length: length - values.length }, () => filler)];
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
