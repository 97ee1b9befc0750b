import { z } from 'zod';

const dollars = z.number().min(0);
/** `train` is for runs: what an engine takes for training on a token. */
const priceSchema = z.strictObject({ input: dollars, output: dollars, train: dollars.optional() });

/** US dollars per million tokens by the name of a model. */
export const priceTableSchema = z.record(z.string(), priceSchema);

export type PriceTable = z.infer<typeof priceTableSchema>;
