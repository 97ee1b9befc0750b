import type { ChatMessage } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import type { OpenedEnvironment, RolloutContext } from '../definition.ts';
import type { Outcome } from '../outcome.ts';
import { textOf } from '../policy/read-completions.ts';
import { classifyFailure } from '../rollout/classify-failure.ts';
import { limitTime } from '../rollout/limit-time.ts';
import { summariseTrajectory } from '../rollout/rollout-result.ts';
import { gradeResult } from '../rollout/run-rollouts.ts';
import type { FoundTask } from './index-tasks.ts';
import type { StoredRollout } from './read-stored-group.ts';
import { restoreCompletions } from './restore-completions.ts';

export interface Regraded {
  readonly outcome: Outcome;
  readonly isReplayed: boolean;
  /** A tool answered something else than it did then. */
  readonly hasOtherResults: boolean;
}

/** Grades a stored rollout with the verifier of today. */
export async function regradeStored(
  environment: OpenedEnvironment,
  { drawn, promptLength }: FoundTask,
  stored: StoredRollout,
  { signal: outer, rolloutId }: { signal: AbortSignal; rolloutId: string },
): Promise<Regraded> {
  const { config, state } = environment;
  const limit = limitTime({ seconds: config.worker_timeout, setting: 'env.worker_timeout', signal: outer });
  const { signal } = limit;
  const random = createRandom(config.seed, 'reverify', drawn.key);
  const context: RolloutContext = { config, state, random, signal, log: () => {}, split: 'train', rolloutId };
  const completions = restoreCompletions(stored, promptLength, config);
  const { messages } = stored;
  try {
    if (environment.rollOut === undefined) {
      const result = summariseTrajectory({ messages, completions });
      const outcome = await limit.race(gradeResult(environment, drawn, result, context));
      return { outcome, isReplayed: false, hasOtherResults: false };
    }
    let asked = 0;
    const { outcome, result } = await environment.rollOut(drawn, {
      context,
      messages: messages.slice(0, promptLength),
      ask: async () => {
        const completion = completions[asked];
        asked += 1;
        if (completion !== undefined) return completion;
        throw new Error('the rollout goes on after its last stored reply: a limit of time or tokens ended it then');
      },
    });
    // A smaller limit of today would grade half of what was done.
    if (asked < completions.length)
      throw new Error(
        `only ${asked} of ${completions.length} stored replies were used: a limit is smaller than it was`,
      );
    const hasOtherResults = listResults(result.messages) !== listResults(messages);
    return { outcome, isReplayed: true, hasOtherResults };
  } catch (error) {
    outer.throwIfAborted();
    const isReplayed = environment.rollOut !== undefined;
    return { outcome: classifyFailure(error, 'rollout'), isReplayed, hasOtherResults: false };
  } finally {
    limit.clear();
  }
}

const listResults = (messages: readonly ChatMessage[]): string =>
  JSON.stringify(messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)));
