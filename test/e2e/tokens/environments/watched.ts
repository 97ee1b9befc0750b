import { defineEnvironment, runEnvironment } from '@lachesis/sdk/environment';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

/** An environment of somebody else: it writes down every variable it is given, and has its replies scored by a server. */
const watched = defineEnvironment({
  name: 'watched',
  description: 'A toy that writes down its variables; a server scores its replies.',
  config: z.object({
    reward_url: z.string().default('').describe('server that scores the replies'),
    notes_path: z.string().default('').describe('file for what was seen'),
  }),
  defaults: { group_size: 4, batch_size: 8, max_token_length: 64, max_completion_tokens: 8 },
  setup: ({ config }) => {
    if (config.notes_path !== '') appendFileSync(config.notes_path, `${JSON.stringify(process.env)}\n`);
  },
  items: {
    train: Array.from({ length: 64 }, (_, index) => `Write ${index}.`),
    evaluation: ['Write.'],
  },
  formatPrompt: (prompt) => prompt,
  async computeReward(_prompt, { finalResponse }, { config }) {
    const reply = await fetch(config.reward_url, {
      method: 'POST',
      headers: { authorization: `Bearer ${process.env['LACHESIS_REWARD_KEY'] ?? ''}` },
      body: JSON.stringify({ reply: finalResponse, run: process.env['LACHESIS_RUN_ID'] }),
    });
    return ((await reply.json()) as { reward: number }).reward;
  },
  examples: () => ({ right: 'abcabc', wrong: 'xyzxyz' }),
});

export default watched;

if (import.meta.main) await runEnvironment(watched);
