import { resolveEnvironmentConfig } from '../config/resolve-environment-config.ts';
import type { EnvironmentDefinition, OpenedEnvironment } from '../definition.ts';
import { indexTasks, type FindTask, type FoundTask } from './index-tasks.ts';
import { countRollouts, readStoredGroup, type StoredRollout } from './read-stored-group.ts';
import { regradeStored } from './regrade-stored.ts';
import { replaceScores } from './replace-scores.ts';
import { countRewards, type RewardsCounter, type RewardsReport } from './rewards-report.ts';

export interface ReverifyOptions {
  readonly definition: EnvironmentDefinition;
  /** Of a file that `env process` wrote. Empty lines are passed over. */
  readonly lines: AsyncIterable<string> | Iterable<string>;
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
  readonly yaml?: unknown;
  /** Gets each group whose every rollout has a reward of today, with these rewards. */
  readonly writeLine?: ((line: string) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
}

/** Rollouts of a group that are graded at once: each may hold two sandboxes. */
const AT_ONCE = 4;

/** Grades stored groups again, one after the other. */
export async function reverifyGroups(options: ReverifyOptions): Promise<RewardsReport> {
  const { definition, flags, yaml, signal, writeLine } = options;
  const { values } = resolveEnvironmentConfig({ definition, flags, yaml });
  const environment = await definition.open({ config: values.env, signal });
  const counter = countRewards({ environment: definition.name, verifier_digest: definition.verifierDigest });
  try {
    const findTask = indexTasks(environment, signal);
    for await (const line of options.lines) {
      if (line.trim() === '') continue;
      signal.throwIfAborted();
      const scores = await regradeLine(line, { environment, findTask, counter, signal });
      counter.addGroup(scores !== undefined);
      if (scores !== undefined) await writeLine?.(replaceScores(line, scores));
    }
    return counter.report();
  } finally {
    await environment.close();
  }
}

interface Parts {
  readonly environment: OpenedEnvironment;
  readonly findTask: FindTask;
  readonly counter: RewardsCounter;
  readonly signal: AbortSignal;
}

/** The scores of the rows; undefined when one of them has none. */
async function regradeLine(line: string, parts: Parts): Promise<number[] | undefined> {
  const rollouts = readStoredGroup(line);
  if ('problem' in rollouts) {
    parts.counter.addFailure(rollouts.problem, 1);
    return undefined;
  }
  const scores: number[] = [];
  const waiting: [FoundTask, StoredRollout][] = [];
  let missing = 0;
  for (const rollout of rollouts) {
    const task = await parts.findTask(rollout.messages);
    if (!('problem' in task)) {
      waiting.push([task, rollout]);
      continue;
    }
    missing += 1;
    parts.counter.addFailure(task.problem, countRollouts(rollout));
  }
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const reward = await regradeOne(...next, parts);
      if (reward === undefined) missing += 1;
      else for (const row of next[1].rows) scores[row] = reward;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return missing === 0 ? scores : undefined;
}

async function regradeOne(
  task: FoundTask,
  rollout: StoredRollout,
  { environment, counter, signal }: Parts,
): Promise<number | undefined> {
  const count = countRollouts(rollout, task.promptLength);
  const { outcome, isReplayed, hasOtherResults } = await regradeStored(environment, task, rollout, {
    signal,
    rolloutId: `reverify-${task.drawn.key}-${rollout.rows[0]}`,
  });
  if (isReplayed) counter.addReplay(hasOtherResults, count);
  if (outcome.kind !== 'scored') {
    counter.addFailure(`${outcome.kind}: ${outcome.reason}`, count);
    return undefined;
  }
  counter.addReward(rollout.score, outcome.reward, count);
  return outcome.reward;
}
