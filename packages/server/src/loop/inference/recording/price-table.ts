import { z } from 'zod';
import type { HeardReply } from './call-recorder.ts';

const dollars = z.number().min(0);
/** `train` is for runs: what an engine takes for training on a token. */
const priceSchema = z.strictObject({ input: dollars, output: dollars, train: dollars.optional() });

/** US dollars per million tokens by the name of a model. */
export const priceTableSchema = z.record(z.string(), priceSchema);

export type PriceTable = z.infer<typeof priceTableSchema>;

/** What a reply cost: as the upstream says, else by the table, else null. */
export function findCost({ cost, usage }: HeardReply, names: readonly string[], prices: PriceTable): number | null {
  if (cost !== undefined) return cost;
  if (usage === undefined) return null;
  const name = names.find((each) => Object.hasOwn(prices, each));
  const price = name === undefined ? undefined : prices[name];
  if (price === undefined) return null;
  return (usage.prompt_tokens * price.input + usage.completion_tokens * price.output) / 1e6;
}
