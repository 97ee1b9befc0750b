import {
  createRandom,
  createScriptedPolicy,
  type EnvironmentDefinition,
  type Outcome,
  type ScriptedReply,
} from '@lachesis/sdk/environment';

type OpenedEnvironment = Awaited<ReturnType<EnvironmentDefinition['open']>>;
type Drawn = Awaited<ReturnType<OpenedEnvironment['listEvaluationItems']>>[number];

export interface RollOutReplies {
  readonly environment: OpenedEnvironment;
  readonly drawn: Drawn;
  /** What the model says, turn by turn; the last one is repeated. */
  readonly replies: readonly (string | ScriptedReply)[];
  readonly rolloutId?: string;
}

/** One rollout of an agent environment with a model that was written down, and its grade. */
export async function rollOutReplies(options: RollOutReplies): Promise<Outcome> {
  const { environment, drawn, replies, rolloutId = 'rollout' } = options;
  if (environment.rollOut === undefined) throw new Error('the environment does not drive its rollouts');
  const { config, state } = environment;
  const signal = new AbortController().signal;
  const random = createRandom(config.seed, 'replies');
  const context = { config, state, random, signal, log: () => {}, split: 'eval' as const, rolloutId };
  const prompt = await environment.formatPrompt(drawn, context);
  let turn = 0;
  const policy = createScriptedPolicy(() => replies[Math.min(turn++, replies.length - 1)] ?? '');
  const { outcome } = await environment.rollOut(drawn, {
    context,
    messages: typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt,
    ask: async ({ last: _last, ...asked }) => {
      const [completion] = await policy.complete({ ...asked, samples: 1, maxTokens: 1, temperature: 0 });
      return completion!;
    },
  });
  return outcome;
}
