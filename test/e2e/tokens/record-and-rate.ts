import { createLibraryClient } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Tenant } from './tenants.ts';

const SEEN_MS = 60_000;

/** The prompts of the application; each is asked twice, and the provider answers once so and once so. */
const PROMPTS = ['red', 'blue', 'green', 'gold', 'one', 'two', 'four', 'six'].map((word) => `Ask ${word}`);
export const CALLS = PROMPTS.length * 2;
export const GOOD = 'text';

/** An application asks through the gateway, a person rates everything. Gives how many of its calls the tenant sees. */
export async function recordAndRate(options: {
  readonly gatewayUrl: string;
  readonly controlUrl: string;
  readonly tenant: Tenant;
}): Promise<{ seen: number; ratings: number }> {
  const { gatewayUrl, controlUrl, tenant } = options;
  for (const [place, prompt] of PROMPTS.entries()) {
    for (const time of [0, 1]) {
      const reply = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', authorization: `Bearer ${tenant.app}` },
          'x-lachesis-trajectory': `${tenant.name}/${place}/${time}`,
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }], seed: time }),
      });
      if (!reply.ok) throw new Error(`the gateway answered ${reply.status}: ${await reply.text()}`);
      await reply.arrayBuffer();
    }
  }
  const library = createLibraryClient({ url: controlUrl, token: tenant.rater });
  const list = async (): Promise<string[]> =>
    (await library.listTrajectories({ limit: 200 })).trajectories.map(({ trajectory_id: id }) => id);
  const until = performance.now() + SEEN_MS;
  let ids = await list();
  for (; ids.length < CALLS && performance.now() < until; ids = await list()) await sleep(200);
  let ratings = 0;
  for (const id of ids) {
    const detail = await library.readTrajectory(id);
    const isUp = detail?.turns[0]?.replies[0]?.message.content === GOOD;
    await library.writeFeedback({
      ...{ trajectory_id: id, author: 'a person', author_kind: 'person' },
      ...{ kind: 'thumb', is_up: isUp },
    });
    ratings += 1;
  }
  return { seen: ids.length, ratings };
}

/** What the provider of the application answers: the one word, then the other. */
export function answerAsProvider(body: string): unknown {
  const { seed } = JSON.parse(body === '' ? '{}' : body) as { seed?: number };
  const content = seed === 1 ? 'list' : GOOD;
  return {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
  };
}

/**
 * The share of letters in the first half of the alphabet: random weights differ in it from the first step on. Rollouts of
 * a run are scored once the gate opens, so that runs are still there while they are looked at.
 */
export async function answerAsReward(body: string, gate: Promise<void>): Promise<unknown> {
  const { reply, run } = JSON.parse(body) as { reply: string; run?: string };
  if (run !== undefined) await gate;
  const characters = Array.from(reply.toLowerCase());
  const good = characters.filter((character) => character >= 'a' && character <= 'm').length;
  return { reward: characters.length === 0 ? 0 : good / characters.length };
}
