import type { ChatMessage } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import type { ExampleAnswer, ItemContext, OpenedEnvironment, RolloutContext } from '../definition.ts';
import type { Outcome } from '../outcome.ts';
import { createScriptedPolicy, type ScriptedReply } from '../policy/create-scripted-policy.ts';
import { summariseTrajectory } from '../rollout/rollout-result.ts';
import { classifyFailure } from '../rollout/classify-failure.ts';
import { toMessages } from '../rollout/rollout-parts.ts';
import { gradeResult } from '../rollout/run-rollouts.ts';

/** Grades an answer as if a model had given it. Where the environment drives its rollouts, the answer goes through its loop. */
export async function gradeAnswer(
  environment: OpenedEnvironment,
  drawn: Parameters<OpenedEnvironment['computeReward']>[0],
  answer: ExampleAnswer,
): Promise<Outcome> {
  if (environment.rollOut === undefined) return gradeText(environment, drawn, lastTextOf(answer));
  const context: RolloutContext = { ...contextOf(environment), split: drawn.split, rolloutId: 'check' };
  const policy = createScriptedPolicy(({ messages }) => replyAt(answer, messages));
  try {
    const messages = toMessages(await environment.formatPrompt(drawn, context), environment);
    const { outcome } = await environment.rollOut(drawn, {
      context,
      messages,
      ask: async ({ last: _last, ...asked }) => {
        const [completion] = await policy.complete({ ...asked, samples: 1, maxTokens: 1, temperature: 0 });
        return completion!;
      },
    });
    return outcome;
  } catch (error) {
    return classifyFailure(error, 'rollout');
  }
}

/** The reply of an example whose turn it is, by the replies that are there already; the last one is repeated. */
export function replyAt(answer: ExampleAnswer, messages: readonly ChatMessage[]): string | ScriptedReply {
  if (typeof answer === 'string') return answer;
  const given = messages.filter(({ role }) => role === 'assistant').length;
  return answer[Math.min(given, answer.length - 1)] ?? '';
}

function lastTextOf(answer: ExampleAnswer): string {
  const last = typeof answer === 'string' ? answer : (answer.at(-1) ?? '');
  return typeof last === 'string' ? last : last.text;
}

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
