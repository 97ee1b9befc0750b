import type { ForwardBackwardOutput } from '../codec/datum.ts';

/** Joins the results of the chunks of one batch: outputs in order, metrics by the reduction in their name. */
export function combineOutputs(parts: readonly ForwardBackwardOutput[]): ForwardBackwardOutput {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  return {
    outputType: first?.outputType ?? '',
    outputs: parts.flatMap(({ outputs }) => outputs),
    metrics: combineMetrics(parts.map(({ metrics, outputs }) => ({ metrics, datums: outputs.length }))),
  };
}

export interface ChunkMetrics {
  metrics: Readonly<Record<string, number>>;
  /** The number of datums in the chunk. */
  datums: number;
}

/** A metric is kept when every chunk has it and its reduction is known; of `name` without a reduction the last one counts. */
export function combineMetrics(chunks: readonly ChunkMetrics[]): Record<string, number> {
  const combined: Record<string, number> = {};
  for (const key of Object.keys(chunks[0]?.metrics ?? {})) {
    if (!chunks.every(({ metrics }) => key in metrics)) continue;
    const values = chunks.map(({ metrics }) => metrics[key]!);
    const value = reduce(key.split(':').at(-1)!, values, chunks);
    if (value !== undefined) combined[key] = value;
    else if (key.endsWith(':unique'))
      for (const [index, each] of values.entries()) combined[index === 0 ? key : `${key}_${index}`] = each;
  }
  return combined;
}

function reduce(reduction: string, values: readonly number[], chunks: readonly ChunkMetrics[]): number | undefined {
  switch (reduction) {
    case 'sum':
      return values.reduce((sum, value) => sum + value, 0);
    case 'min':
      return Math.min(...values);
    case 'max':
      return Math.max(...values);
    case 'mean':
      return weightedMean(values, chunks);
    case 'slack':
      return Math.max(...values) - weightedMean(values, chunks);
    case 'hash2':
      // Beyond 2^53 a double no longer holds the exact sum; the modulus keeps what it can.
      return Number(values.reduce((sum, value) => BigInt.asUintN(64, sum + BigInt(Math.trunc(value))), 0n));
    case 'last':
      return values.at(-1);
    default:
      return undefined;
  }
}

function weightedMean(values: readonly number[], chunks: readonly ChunkMetrics[]): number {
  let [sum, weight] = [0, 0];
  for (const [index, value] of values.entries()) {
    sum += value * chunks[index]!.datums;
    weight += chunks[index]!.datums;
  }
  return weight === 0 ? 0 : sum / weight;
}
