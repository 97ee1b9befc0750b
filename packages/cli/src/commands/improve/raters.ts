import { findServerKey, readRules, type ImprovePlan, type TrajectoryFilter } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { createEgressFetch, createEgressRule } from '@lachesis/sdk/egress';
import { createJudge, createJudgeReward } from '@lachesis/sdk/environment';
import type { ScoreReply } from '@lachesis/server/processes';
import { fail } from '../../terminal/fail.ts';
import { gradeReply, type FeedbackRule } from '../../library/grade-by-rules.ts';
import { splitThinking } from '@lachesis/protocol/conversation';
import { runJudge } from '../feedback/judge-run.ts';
import { runRules } from '../feedback/rule-run.ts';
import { walkTrajectories } from '../feedback/walk.ts';

export interface Raters {
  /** Rates what the filter finds, until it is stopped; gives how many ratings that were. */
  rate: (filter: TrajectoryFilter, stage: { signal: AbortSignal }) => Promise<number>;
  score: ScoreReply;
}

const PARALLEL = 4;

/** The rules or the judge of a plan, for the trajectories that are there and for the replies of the evaluation. */
export function createRaters(
  plan: ImprovePlan,
  library: LibraryClient,
  { isServed = false }: { isServed?: boolean } = {},
): Raters | undefined {
  if (plan.rules !== null) return createRuleRaters(needRules(plan.rules), library);
  return plan.judge === null ? undefined : createJudgeRaters(plan.judge, library, isServed);
}

function needRules(value: unknown): FeedbackRule[] {
  const read = readRules(value);
  return 'rules' in read ? read.rules : fail(`the rules of this improvement cannot be used: ${read.problem}.`);
}

function createRuleRaters(rules: readonly FeedbackRule[], library: LibraryClient): Raters {
  return {
    async rate(filter, { signal }) {
      const trajectories = walkTrajectories(library, filter, Number.POSITIVE_INFINITY, signal);
      const report = await runRules({ library, trajectories, rules });
      return report.rules.reduce((sum, { scored }) => sum + scored, 0);
    },
    async score({ reply }) {
      const grades = gradeReply(reply, rules);
      // No rule applies: that is no number, and above all no 0.
      return grades.length === 0 ? undefined : grades.reduce((sum, { score }) => sum + score, 0) / grades.length;
    },
  };
}

/** Of an improvement that a server was asked for: who has a token named the judge, so it is asked as a stranger is, without our key. */
const strangerOptions = () => ({
  apiKey: undefined,
  fetch: createEgressFetch({ rule: createEgressRule({ allow: process.env['LACHESIS_EGRESS_ALLOW'] }) }),
});

function createJudgeRaters(
  judge: NonNullable<ImprovePlan['judge']>,
  library: LibraryClient,
  isServed: boolean,
): Raters {
  const { base_url: url, model, rubric, rubric_name: rubricName } = judge;
  const apiKey = process.env['LACHESIS_JUDGE_API_KEY'] ?? findServerKey(url, process.env);
  const asked = isServed ? strangerOptions() : { apiKey };
  const ask = createJudge({ url, model, ...asked, responseFormat: 'json_schema' });
  const reward = createJudgeReward({ rubric, judge: ask });
  return {
    async rate(filter, { signal }) {
      // What has been rated, by a process that died too, is not asked for again: each question costs.
      const unrated = { ...filter, has_feedback: false };
      const trajectories = walkTrajectories(library, unrated, Number.POSITIVE_INFINITY, signal);
      const asking = { library, trajectories, ask, rubric, rubricName, author: model, parallel: PARALLEL, signal };
      const report = await runJudge(asking);
      return report.judged;
    },
    async score({ messages, reply, signal }) {
      const outcome = await reward({
        signal,
        answer: splitThinking(reply).text.trim(),
        messages: messages.map((message) => ({ role: message.role, content: splitThinking(message).text })),
      });
      // What was cut off is no item without a number.
      signal?.throwIfAborted();
      return outcome.kind === 'scored' ? outcome.reward : undefined;
    },
  };
}
