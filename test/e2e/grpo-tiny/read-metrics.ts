import { readFile } from 'node:fs/promises';

/** A line of `metrics.jsonl`. */
export type StepMetrics = Readonly<Record<string, number>> & { readonly step: number; readonly time: number };

/** The steps so far, in order. A step that was told twice counts as it was told last. */
export async function readMetrics(file: string): Promise<readonly StepMetrics[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Written with the first step.
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // The last line may be half written.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const steps = whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StepMetrics)
    // Lines of environments and evaluations are no steps.
    .filter((row) => row['time/step'] !== undefined);
  return [...new Map(steps.map((metrics) => [metrics.step, metrics])).values()].toSorted((a, b) => a.step - b.step);
}
