import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface NllSeries {
  /** `train/mean_nll` by step; of a step that was made twice the later one. */
  readonly train: ReadonlyMap<number, number>;
  readonly evaluated: ReadonlyMap<number, number>;
  readonly trainedTokens: ReadonlyMap<number, number>;
}

/** What a run wrote into its file of metrics. */
export async function readNll({ home, run }: { home: string; run: string }): Promise<NllSeries> {
  const text = await readFile(join(home, 'runs', run, 'metrics.jsonl'), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, number> & { step: number });
  const read = (name: string): ReadonlyMap<number, number> =>
    new Map(rows.flatMap((row) => (row[name] === undefined ? [] : [[row.step, row[name]] as const])));
  return {
    train: read('train/mean_nll'),
    evaluated: read('eval/mean_nll'),
    trainedTokens: read('train/trained_tokens'),
  };
}

/** How far two runs are apart, over the steps that both have; a step found made in the engine after a kill has no number. */
export function compareSeries(
  left: ReadonlyMap<number, number>,
  right: ReadonlyMap<number, number>,
): { steps: number; largest: number } {
  const steps = [...left.keys()].filter((step) => right.has(step));
  const apart = steps.map((step) => Math.abs(left.get(step)! - right.get(step)!));
  return { steps: steps.length, largest: steps.length === 0 ? Number.NaN : Math.max(...apart) };
}
