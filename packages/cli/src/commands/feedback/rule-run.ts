import type { TrajectoryDetail } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { gradeByRules, type FeedbackRule } from '../../library/grade-by-rules.ts';

export interface RulesReport {
  trajectories: number;
  rules: { rule: string; scored: number; mean: number | null }[];
}

/** Scores each trajectory by each rule. What a rule says again is the feedback that is there. */
export async function runRules(options: {
  library: Pick<LibraryClient, 'writeFeedback'>;
  trajectories: AsyncGenerator<TrajectoryDetail>;
  rules: readonly FeedbackRule[];
}): Promise<RulesReport> {
  const { library, rules } = options;
  const counts = new Map(rules.map(({ name }) => [name, { scored: 0, sum: 0 }]));
  let trajectories = 0;
  for await (const detail of options.trajectories) {
    trajectories += 1;
    const { trajectory_id: id } = detail.summary;
    for (const { rule, score } of gradeByRules(detail, rules)) {
      await library.writeFeedback({
        trajectory_id: id,
        author: `rule:${rule.name}`,
        author_kind: 'rule',
        key: `rule:${rule.name}:${id}`,
        kind: 'score',
        score,
      });
      const counted = counts.get(rule.name);
      if (counted !== undefined) counts.set(rule.name, { scored: counted.scored + 1, sum: counted.sum + score });
    }
  }
  return {
    trajectories,
    rules: [...counts].map(([rule, { scored, sum }]) => ({ rule, scored, mean: scored === 0 ? null : sum / scored })),
  };
}
