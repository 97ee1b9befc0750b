import type { ChatMessage } from '@lachesis/protocol';
import { createRandom, drawSeed } from '../create-random.ts';
import type { OpenedEnvironment, RolloutContext } from '../definition.ts';
import { EnvironmentError } from '../environment-error.ts';
import type { Completion, PolicyRequest, Policy } from '../policy/policy.ts';
import type { Drawn, Split } from '../split.ts';
import { classifyFailure } from './classify-failure.ts';
import { limitTime, type TimeLimit } from './limit-time.ts';
import type { Rollout } from './rollout.ts';

export interface RunRolloutsOptions<S extends Split> {
  readonly environment: OpenedEnvironment;
  readonly policy: Policy;
  readonly drawn: Drawn<S>;
  /** Places in the group to roll out. */
  readonly indices: readonly number[];
  /** Tells a repeated attempt at an abstained place from the one before; failed places repeat their seed. */
  readonly salt: number;
  readonly temperature: number;
  readonly nextRolloutId: () => string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
}

export interface Place {
  readonly index: number;
  readonly rolloutId: string;
}

/** What the model saw and said, as tokens, for the next turn to begin with. */
export function historyOf({ promptTokens, tokens }: Completion): Int32Array | undefined {
  if (promptTokens.length === 0) return undefined;
  const history = new Int32Array(promptTokens.length + tokens.length);
  history.set(promptTokens);
  history.set(tokens, promptTokens.length);
  return history;
}

export function failedRollout<S extends Split>(
  options: RunRolloutsOptions<S>,
  { index, rolloutId }: Place,
  error: unknown,
  startedAt: number,
): Rollout<S> {
  // What stops the whole run is not the rollout's failure.
  options.signal.throwIfAborted();
  if (EnvironmentError.isInstance(error)) throw error;
  return {
    split: options.drawn.split,
    rolloutId,
    index,
    outcome: classifyFailure(error, 'rollout'),
    result: undefined,
    sequences: [],
    overrides: undefined,
    durationMs: options.now() - startedAt,
  };
}

export function toMessages(
  prompt: string | readonly ChatMessage[],
  { config }: OpenedEnvironment,
): readonly ChatMessage[] {
  const messages = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt;
  const system = config.system_prompt;
  if (system === undefined || system === null) return messages;
  return [{ role: 'system', content: system }, ...messages.filter(({ role }) => role !== 'system')];
}

export function settingsOf(
  { environment: { config }, temperature, drawn }: RunRolloutsOptions<Split>,
  signal: AbortSignal,
  usedTokens = 0,
): Omit<PolicyRequest, 'messages' | 'samples'> {
  const left = Math.max(1, config.max_token_length - usedTokens);
  return {
    maxTokens: Math.min(left, config.max_completion_tokens ?? left),
    maxTotalTokens: config.max_token_length,
    temperature,
    topP: drawn.split === 'train' ? config.top_p : 1,
    stop: config.stop,
    isEvaluation: drawn.split !== 'train',
    signal,
  };
}

export const limitOf = ({ environment: { config }, signal }: RunRolloutsOptions<Split>): TimeLimit =>
  limitTime({ seconds: config.worker_timeout, setting: 'env.worker_timeout', signal });

export function seedOf(
  { environment: { config }, drawn, salt }: RunRolloutsOptions<Split>,
  index: number,
  turn: number,
): number {
  return drawSeed(createRandom(config.seed, 'rollout', drawn.key, drawn.draw, index, turn, salt));
}

export function contextOf(
  { environment, drawn, salt, log }: RunRolloutsOptions<Split>,
  index: number,
  rolloutId: string,
  signal: AbortSignal,
): RolloutContext {
  const { config, state } = environment;
  const random = createRandom(config.seed, 'context', drawn.key, drawn.draw, index, salt);
  return { config, state, random, signal, log, split: drawn.split, rolloutId };
}
