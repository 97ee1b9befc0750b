import { readYamlFile } from '@lachesis/sdk/config';
import { existsSync } from 'node:fs';
import { priceTableSchema, type PriceTable } from './price-table.ts';
import { SettingError } from '../../http/settings/setting-error.ts';

/** Reads the user's price table; none when there is no file. */
export async function readPriceTable(path: string): Promise<PriceTable> {
  if (!existsSync(path)) return {};
  const parsed = priceTableSchema.safeParse(await readYamlFile(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SettingError(
    `the price table ${path} is wrong at ${issue?.path.join('.') ?? 'its beginning'}: ${issue?.message ?? 'unreadable'}. ` +
      'Each line is a model with its US dollars per million tokens: `name: { input: 0.5, output: 1.5 }`.',
  );
}
