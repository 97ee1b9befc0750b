import { MOST_ITEM_RATES, trainerItemsSchema, type Clock, type TrainerItems } from '@lachesis/protocol';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';

/** Where the pass rates of items are kept, so that a curriculum goes on after a restart. */
export interface ItemRateKeeper {
  /** What an earlier process found; undefined when nobody keeps rates. */
  load(): Promise<TrainerItems['rates'] | undefined>;
  /** False when they did not arrive: they are to be told again. */
  save(rates: TrainerItems['rates']): Promise<boolean>;
}

/** A trainer that registered a moment ago may not know its run yet. */
const PATIENCE_MS = 10_000;

/** The trainer keeps them with the run. */
export function createItemRateKeeper(options: {
  /** Of the trainer; undefined when there is none. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** Name of the environment. */
  readonly environment: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}): ItemRateKeeper {
  const { url, token, environment, fetch: send, clock } = options;
  const tell = async (rates: TrainerItems['rates'], asksAll: boolean): Promise<TrainerItems | undefined> => {
    if (url === undefined) return undefined;
    try {
      return await request({
        ...{ url, token, fetch: send, clock, method: 'POST', path: '/v1/trainer/items', retryForMs: PATIENCE_MS },
        body: { environment, rates, asks_all: asksAll },
        parse: (reply) => trainerItemsSchema.parse(reply),
      });
    } catch (error) {
      if (ClientError.isInstance(error)) return undefined;
      throw error;
    }
  };
  return {
    load: async () => (await tell([], true))?.rates,
    async save(rates) {
      let isSaved = true;
      for (let start = 0; start < rates.length; start += MOST_ITEM_RATES) {
        isSaved &&= (await tell(rates.slice(start, start + MOST_ITEM_RATES), false)) !== undefined;
      }
      return isSaved;
    },
  };
}
