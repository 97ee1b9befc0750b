/** US dollars per million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
  train?: number | undefined;
}

export interface CostMeterOptions {
  price: TokenPrice;
  /** What the run had cost when this process began. */
  before: number;
  /** Tokens that were read and sampled since this process began. */
  readTokens: () => Promise<{ prompt: number; sampled: number }>;
}

/** What a run has cost so far by the price table: called at each step with the tokens that were trained on. */
export function createCostMeter({
  price,
  before,
  readTokens,
}: CostMeterOptions): (trainedTokens: number) => Promise<number> {
  let trained = 0;
  return async (trainedTokens) => {
    trained += trainedTokens;
    const { prompt, sampled } = await readTokens();
    return before + (prompt * price.input + sampled * price.output + trained * (price.train ?? 0)) / 1e6;
  };
}
