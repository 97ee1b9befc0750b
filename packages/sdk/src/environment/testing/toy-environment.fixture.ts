import { z } from 'zod';
import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import { defineEnvironment } from '../define-environment.ts';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { createRandom } from '../create-random.ts';
import { textOf } from '../policy/read-completions.ts';

/** Says whether a number is even; the policy below is right about two times in three, by its seed. */
export const toy: EnvironmentDefinition = defineEnvironment({
  name: 'toy',
  description: 'Even or odd.',
  config: z.object({ largest: z.int().default(1000).describe('largest number') }),
  items: {
    train: { generate: (_index, { random, config }) => ({ number: random.integer(0, config.largest) }) },
    evaluation: [{ number: -1 }, { number: -2 }, { number: -3 }],
  },
  formatPrompt: ({ number }) => `Is ${number} even?`,
  computeReward: ({ number }, { finalResponse }) => (finalResponse === (number % 2 === 0 ? 'yes' : 'no') ? 1 : 0),
  examples: ({ number }) => ({ right: number % 2 === 0 ? 'yes' : 'no', wrong: number % 2 === 0 ? 'no' : 'yes' }),
});

export function openToy(
  flags: Record<string, unknown> = {},
  definition: EnvironmentDefinition = toy,
): Promise<OpenedEnvironment> {
  const { values } = resolveEnvironmentConfig({ definition, flags: { env: flags } });
  return definition.open({ config: values.env });
}

export const toyPolicy: Policy = createScriptedPolicy(({ messages, seed = 0 }, sample) => {
  const number = Number(/-?\d+/.exec(textOf(messages.at(-1)?.content))?.[0]);
  const isEven = number % 2 === 0;
  const isRight = createRandom(seed, sample).next() < 2 / 3;
  return isEven === isRight ? 'yes' : 'no';
});

/** Ids in order, as UUIDs. */
export function countIds(): () => string {
  let count = 0;
  return () => `00000000-0000-7000-8000-${String((count += 1)).padStart(12, '0')}`;
}

export const never: AbortSignal = new AbortController().signal;
