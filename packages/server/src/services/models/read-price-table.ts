import type { PriceTable } from './price-table.ts';

/** What calls of models cost: the user's price table before the dated one that comes along. What checks it is loaded with the first call: the entry point is light. */
export async function readPriceTable(path: string): Promise<PriceTable> {
  const prices = await import('./read-prices.ts');
  return prices.readPriceTable(path);
}
