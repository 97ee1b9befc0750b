import { createRandom } from '../create-random.ts';
import type { ItemContext, OpenedEnvironment } from '../definition.ts';
import type { Outcome } from '../outcome.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import { summariseTrajectory } from '../rollout/rollout-result.ts';
import { gradeResult } from '../rollout/run-rollouts.ts';

/** Grades a text as if a model had answered with it. */
export async function gradeText(
  environment: OpenedEnvironment,
  drawn: Parameters<OpenedEnvironment['computeReward']>[0],
  text: string,
): Promise<Outcome> {
  const [completion] = await createScriptedPolicy(() => text).complete({
    messages: [{ role: 'user', content: '' }],
    samples: 1,
    maxTokens: 1,
    temperature: 0,
  });
  const result = summariseTrajectory({ messages: [completion!.message], completions: [completion!] });
  return gradeResult(environment, drawn, result, { ...contextOf(environment), split: 'train', rolloutId: 'check' });
}

/** For what is asked of an environment outside a rollout. */
export function contextOf({ config, state }: OpenedEnvironment): ItemContext {
  const random = createRandom(config.seed, 'check');
  return { config, state, random, signal: new AbortController().signal, log: () => {} };
}
