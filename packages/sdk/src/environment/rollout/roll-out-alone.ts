import type { AskPolicy } from '../definition.ts';
import { failed } from '../outcome.ts';
import { hasTokens } from '../policy/policy.ts';
import type { Drawn, Split } from '../split.ts';
import { joinTurns, type Sequence } from './join-turns.ts';
import {
  contextOf,
  failedRollout,
  historyOf,
  limitOf,
  seedOf,
  settingsOf,
  toMessages,
  type RunRolloutsOptions,
} from './rollout-parts.ts';
import type { Rollout } from './rollout.ts';

/** One rollout that the environment drives: it asks for each reply, and grades before it lets go of what it holds. */
export async function rollOutAlone<S extends Split>(
  options: RunRolloutsOptions<S>,
  index: number,
): Promise<Rollout<S>> {
  const { environment, policy, drawn } = options;
  const startedAt = options.now();
  const place = { index, rolloutId: options.nextRolloutId() };
  const limit = limitOf(options);
  const context = contextOf(options, index, place.rolloutId, limit.signal);
  let asked = 0;
  const ask: AskPolicy = async ({ last, signal = limit.signal, maxTokens = Number.POSITIVE_INFINITY, ...request }) => {
    const used = last === undefined ? 0 : last.promptTokens.length + last.tokens.length;
    const settings = settingsOf(options, signal, used);
    const [completion] = await policy.complete({
      ...settings,
      ...request,
      maxTokens: Math.min(settings.maxTokens, maxTokens),
      samples: 1,
      seed: seedOf(options, index, asked++),
      history: last === undefined ? undefined : historyOf(last),
      rolloutIds: [place.rolloutId],
    });
    return completion!;
  };
  try {
    const prompt = await limit.race(environment.formatPrompt(drawn, context));
    // Not raced: it ends with the signal, and what it holds is released before it does.
    const driven = await environment.rollOut!(drawn, { context, messages: toMessages(prompt, environment), ask });
    limit.signal.throwIfAborted();
    const { trajectory, result } = driven;
    const joined = trajectory.completions.every(hasTokens)
      ? joinTurns(trajectory.completions, environment.config.history_policy)
      : { sequences: [] };
    const isRefused = 'refusal' in joined;
    return {
      split: drawn.split,
      ...place,
      result,
      outcome: isRefused ? failed('infrastructure', joined.refusal) : driven.outcome,
      sequences: isRefused ? [] : dropUntrained(joined.sequences),
      overrides:
        drawn.split === 'train' ? environment.overrides?.(drawn as Drawn<'train'>, result, context) : undefined,
      durationMs: options.now() - startedAt,
    };
  } catch (error) {
    return failedRollout(options, place, error, startedAt);
  } finally {
    limit.clear();
  }
}

/** A row in which everything is masked teaches nothing; it stays only where it is all there is, so that the rollout counts. */
function dropUntrained(sequences: readonly Sequence[]): readonly Sequence[] {
  const trained = sequences.filter(({ isSampled }) => isSampled.includes(1));
  return trained.length === 0 ? sequences.slice(0, 1) : trained;
}
