import type { ChatMessage } from '@lachesis/protocol';
import type { CollectContext, OpenedEnvironment, RolloutContext, Sample } from '../definition.ts';
import { failed, type Outcome } from '../outcome.ts';
import { hasTokens, type ToolDescription } from '../policy/policy.ts';
import { readRewardReply } from '../rewards/read-reward-reply.ts';
import type { Drawn, Split } from '../split.ts';
import { classifyFailure } from './classify-failure.ts';
import { joinTurns } from './join-turns.ts';
import { rollOutAlone } from './roll-out-alone.ts';
import { summariseTrajectory, type RolloutResult, type Trajectory } from './rollout-result.ts';
import {
  contextOf,
  failedRollout,
  historyOf,
  limitOf,
  seedOf,
  settingsOf,
  toMessages,
  type Place,
  type RunRolloutsOptions,
} from './rollout-parts.ts';
import type { Rollout } from './rollout.ts';

export type { RunRolloutsOptions } from './rollout-parts.ts';

/** Rolls out one item in the given places and grades each. Never throws for what happens inside a rollout. */
export async function runRollouts<S extends Split>(options: RunRolloutsOptions<S>): Promise<Rollout<S>[]> {
  const { environment, indices } = options;
  if (environment.collectTrajectories !== undefined) return collectAll(options);
  if (environment.rollOut !== undefined) return Promise.all(indices.map((index) => rollOutAlone(options, index)));
  const perRequest = environment.config.max_n_completions;
  const parts: (readonly number[])[] = [];
  for (let start = 0; start < indices.length; start += perRequest) parts.push(indices.slice(start, start + perRequest));
  const groups = await Promise.all(parts.map((part) => rollOutTogether({ ...options, indices: part })));
  return groups.flat();
}

/** The first turn of several rollouts is one request, because they share the prompt; then each goes its own way. */
async function rollOutTogether<S extends Split>(options: RunRolloutsOptions<S>): Promise<Rollout<S>[]> {
  const { environment, policy, drawn, indices } = options;
  const startedAt = options.now();
  const places = indices.map((index) => ({ index, rolloutId: options.nextRolloutId() }));
  const limit = limitOf(options);
  const contexts = places.map(({ index, rolloutId }) => contextOf(options, index, rolloutId, limit.signal));
  const context = contexts[0]!;
  try {
    const messages = toMessages(await limit.race(environment.formatPrompt(drawn, context)), environment);
    const tools = await limit.race(environment.listTools(drawn, context));
    const asked = policy.complete({
      ...settingsOf(options, limit.signal),
      messages,
      samples: places.length,
      seed: seedOf(options, indices[0] ?? 0, 0),
      tools,
      rolloutIds: places.map(({ rolloutId }) => rolloutId),
    });
    const completions = await limit.race(asked);
    return await Promise.all(
      places.map(async (place, at) => {
        try {
          const first: Trajectory = {
            messages: [...messages, completions[at]!.message],
            completions: [completions[at]!],
          };
          const trajectory = await limit.race(goOn(options, { ...place, first, tools, context: contexts[at]! }));
          return await limit.race(grade(options, { ...place, trajectory, startedAt, context: contexts[at]! }));
        } catch (error) {
          return failedRollout(options, place, error, startedAt);
        }
      }),
    );
  } catch (error) {
    return places.map((place) => failedRollout(options, place, error, startedAt));
  } finally {
    limit.clear();
  }
}

/** The turns after the first. */
async function goOn(
  options: RunRolloutsOptions<Split>,
  {
    index,
    rolloutId,
    first,
    tools,
    context,
  }: Place & { first: Trajectory; tools: readonly ToolDescription[] | undefined; context: RolloutContext },
): Promise<Trajectory> {
  const { environment, policy, drawn } = options;
  const { config } = environment;
  let { messages, completions } = first;
  if (environment.nextMessages === undefined) return first;
  for (let turn = 1; ; turn += 1) {
    const last = completions.at(-1)!;
    const conversation = { messages, reply: last.message, text: last.text, turn };
    const given = await environment.nextMessages(drawn, conversation, context);
    const next =
      given === undefined ? [] : Array.isArray(given) ? (given as readonly ChatMessage[]) : [given as ChatMessage];
    if (next.length === 0) return { messages, completions };
    messages = [...messages, ...next];
    const used = last.promptTokens.length + last.tokens.length;
    if (turn >= config.max_agent_turns || used >= config.max_token_length)
      return { messages, completions, wasCut: true };
    const [completion] = await policy.complete({
      ...settingsOf(options, context.signal, used),
      messages,
      samples: 1,
      seed: seedOf(options, index, turn),
      tools,
      history: historyOf(last),
      rolloutIds: [rolloutId],
    });
    messages = [...messages, completion!.message];
    completions = [...completions, completion!];
  }
}

/** For environments that sample themselves. What the whole collection throws fails every place of it. */
async function collectAll<S extends Split>(options: RunRolloutsOptions<S>): Promise<Rollout<S>[]> {
  const { environment, drawn, indices, policy } = options;
  const startedAt = options.now();
  const places = indices.map((index) => ({ index, rolloutId: options.nextRolloutId() }));
  const limit = limitOf(options);
  let asked = 0;
  const sample: Sample = async ({ messages, samples = 1, ...given }) => {
    asked += 1;
    const completions = await policy.complete({
      ...settingsOf(options, limit.signal),
      ...given,
      messages,
      samples,
      seed: seedOf(options, indices[0] ?? 0, asked),
      ...(samples === places.length ? { rolloutIds: places.map(({ rolloutId }) => rolloutId) } : {}),
    });
    return completions.map((completion) => ({
      messages: [...messages, completion.message],
      completions: [completion],
    }));
  };
  try {
    const context: CollectContext = {
      ...contextOf(options, indices[0] ?? 0, places[0]?.rolloutId ?? '', limit.signal),
      samples: places.length,
      sample,
    };
    const trajectories = await limit.race(environment.collectTrajectories!(drawn, context));
    return await Promise.all(
      places.map(async (place, at) => {
        const trajectory = trajectories[at];
        if (trajectory === undefined) {
          const reason = `collectTrajectories gave ${trajectories.length} trajectories for ${places.length}`;
          return failedRollout(options, place, new Error(reason), startedAt);
        }
        const own = contextOf(options, place.index, place.rolloutId, limit.signal);
        return grade(options, { ...place, trajectory, startedAt, context: own });
      }),
    );
  } catch (error) {
    return places.map((place) => failedRollout(options, place, error, startedAt));
  } finally {
    limit.clear();
  }
}

async function grade<S extends Split>(
  options: RunRolloutsOptions<S>,
  {
    index,
    rolloutId,
    trajectory,
    startedAt,
    context,
  }: Place & { trajectory: Trajectory; startedAt: number; context: RolloutContext },
): Promise<Rollout<S>> {
  const { environment, drawn } = options;
  const result = summariseTrajectory(trajectory);
  const base = { split: drawn.split, rolloutId, index, result, overrides: undefined, sequences: [] };
  const hasAllTokens = trajectory.completions.every(hasTokens);
  const joined = hasAllTokens
    ? joinTurns(trajectory.completions, environment.config.history_policy)
    : { sequences: [], wasSplit: false };
  if ('refusal' in joined) {
    const outcome = failed('infrastructure', joined.refusal);
    return { ...base, outcome, durationMs: options.now() - startedAt };
  }
  const outcome = await gradeResult(environment, drawn, result, context);
  const overrides =
    drawn.split === 'train' ? environment.overrides?.(drawn as Drawn<'train'>, result, context) : undefined;
  return { ...base, outcome, overrides, sequences: joined.sequences, durationMs: options.now() - startedAt };
}

/** Grades a rollout again whose verifier failed: what was sampled stays, so nothing is drawn anew because a judge was away. */
export async function regradeRollout<S extends Split>(
  options: Omit<RunRolloutsOptions<S>, 'indices'>,
  rollout: Rollout<S>,
): Promise<Rollout<S>> {
  const { environment, drawn } = options;
  if (rollout.result === undefined) return rollout;
  const startedAt = options.now();
  const limit = limitOf({ ...options, indices: [rollout.index] });
  try {
    const context = contextOf({ ...options, indices: [] }, rollout.index, rollout.rolloutId, limit.signal);
    const outcome = await limit.race(gradeResult(environment, drawn, rollout.result, context));
    return { ...rollout, outcome, durationMs: options.now() - startedAt };
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...rollout, outcome: classifyFailure(error, 'verifier'), durationMs: options.now() - startedAt };
  } finally {
    limit.clear();
  }
}

/** What grading gave as an outcome; what it threw, or a number that is none, is the verifier's failure. */
export async function gradeResult(
  environment: OpenedEnvironment,
  drawn: Drawn<Split>,
  result: RolloutResult,
  context: RolloutContext,
): Promise<Outcome> {
  try {
    return readRewardReply(await environment.computeReward(drawn, result, context), 'computeReward');
  } catch (error) {
    return classifyFailure(error, 'verifier');
  }
}
