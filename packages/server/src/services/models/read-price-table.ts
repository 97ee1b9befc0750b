import type { PriceTable } from './price-table.ts';

/** Reads the user's price table; none when there is no file. What checks it is loaded with the first call: the entry point is light. */
export async function readPriceTable(path: string): Promise<PriceTable> {
  const prices = await import('./read-prices.ts');
  return prices.readPriceTable(path);
}
