import { readYamlFile } from '@lachesis/sdk/config';
import { existsSync } from 'node:fs';
import { priceTableSchema, type PriceTable } from './price-table.ts';
import { isManaged, MANAGED_PRICES, SHIPPED_PRICES } from './shipped-prices.ts';
import { SettingError } from '../../http/settings/setting-error.ts';

/** What calls of models cost: the user's price table, and for what it does not name the prices that come along. */
export async function readPriceTable(path: string): Promise<PriceTable> {
  return { ...SHIPPED_PRICES, ...(await readOwnPrices(path)) };
}

/** What a run of this model costs: as the user's table says, else as the managed service takes where it is the one that trains. */
export async function findRunPrice(
  path: string,
  model: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<PriceTable[string] | undefined> {
  const prices = { ...(isManaged(env) ? MANAGED_PRICES : {}), ...(await readOwnPrices(path)) };
  return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

async function readOwnPrices(path: string): Promise<PriceTable> {
  if (!existsSync(path)) return {};
  const parsed = priceTableSchema.safeParse(await readYamlFile(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingError(
    `the price table ${path} is wrong at ${issue?.path.join('.') ?? 'its beginning'}: ${issue?.message ?? 'unreadable'}. ` +
      'Each line is a model with its US dollars per million tokens: `name: { input: 0.5, output: 1.5 }`.',
  );
}
