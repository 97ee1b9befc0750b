import type { CollectedReply } from '@lachesis/sdk/capture';
import type { PriceTable } from './price-table.ts';

/** What a reply cost: as the upstream says, else by the table, else null. */
export function findCost({ cost, usage }: CollectedReply, names: readonly string[], prices: PriceTable): number | null {
  if (cost !== undefined) return cost;
  if (usage === undefined) return null;
  const name = names.find((each) => Object.hasOwn(prices, each));
  const price = name === undefined ? undefined : prices[name];
  if (price === undefined) return null;
  return (usage.prompt_tokens * price.input + usage.completion_tokens * price.output) / 1e6;
}
