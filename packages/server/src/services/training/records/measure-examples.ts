import type { RecordExample, RecordMethod, RecordModel } from './method.ts';

/** The numbers of a method over all examples: means of the parts, each by its weight. Empty for no examples. */
export async function measureExamples(options: {
  method: RecordMethod;
  model: RecordModel;
  examples: readonly RecordExample[];
  batchSize: number;
}): Promise<Record<string, number>> {
  const { method, model, examples, batchSize } = options;
  const totals = new Map<string, number>();
  let weights = 0;
  for (let start = 0; start < examples.length; start += batchSize) {
    const { metrics, weight } = await method.evaluate(model, examples.slice(start, start + batchSize));
    weights += weight;
    for (const [name, value] of Object.entries(metrics)) totals.set(name, (totals.get(name) ?? 0) + weight * value);
  }
  const means = Object.fromEntries(Array.from(totals, ([name, total]) => [name, total / weights]));
  return { ...means, ...(examples.length === 0 ? {} : method.summarise?.(means)) };
}
