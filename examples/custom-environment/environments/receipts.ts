import { defineEnvironment, runEnvironment, type Random } from '@lachesis/sdk/environment';
import { z } from 'zod';

const SHOPS = ['Clotho Books', 'Spindle & Co', 'The Loom', 'Thread Street Deli', 'Atelier Fate'];
const THINGS = ['two notebooks', 'a lamp', 'coffee', 'a train ticket', 'three shirts', 'printer paper'];

interface Receipt {
  text: string;
  shop: string;
  cents: number;
}

export const receipts = defineEnvironment({
  name: 'receipts',
  description: 'Reads shop and amount out of a sentence and answers with JSON.',
  config: z.object({ most_cents: z.int().min(100).default(20_000).describe('largest amount') }),
  defaults: { max_completion_tokens: 64, group_size: 8 },

  // Shops of the evaluation split are never seen in training.
  items: {
    train: { generate: (_index, { random, config }) => makeReceipt(random, SHOPS.slice(0, 4), config.most_cents) },
    evaluation: {
      count: 32,
      generate: (_index, { random, config }) => makeReceipt(random, SHOPS.slice(4), config.most_cents),
    },
  },

  formatPrompt: ({ text }) => `${text}\nAnswer with JSON alone: {"shop": "…", "cents": 1234}`,

  // A third for JSON, a third for each field: a model that is nearly right learns what is missing.
  computeReward: ({ shop, cents }, { finalResponse }) => {
    const answer = readJson(finalResponse);
    const signals = {
      json: answer === undefined ? 0 : 1,
      shop: answer?.['shop'] === shop ? 1 : 0,
      cents: answer?.['cents'] === cents ? 1 : 0,
    };
    return { reward: (signals.json + signals.shop + signals.cents) / 3, signals };
  },

  examples: ({ shop, cents }) => ({ right: JSON.stringify({ shop, cents }), wrong: 'It was expensive.' }),
});

function makeReceipt(random: Random, shops: readonly string[], mostCents: number): Receipt {
  const shop = random.pick(shops);
  const cents = random.integer(100, mostCents);
  const amount = (cents / 100).toFixed(2);
  return { shop, cents, text: `At ${shop} I paid ${amount} euros for ${random.pick(THINGS)}.` };
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not JSON: that is an answer too, and it is worth nothing.
    return undefined;
  }
}

if (import.meta.main) await runEnvironment(receipts);
