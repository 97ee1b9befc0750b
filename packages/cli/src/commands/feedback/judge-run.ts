import type { TrajectoryDetail } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { type createJudge, createJudgeReward, type Outcome } from '@lachesis/sdk/environment';
import { createHash } from 'node:crypto';
import { describeForJudge } from '../../library/describe-for-judge.ts';

type AskJudge = ReturnType<typeof createJudge>;

export interface JudgeRunOptions {
  library: Pick<LibraryClient, 'writeFeedback'>;
  trajectories: AsyncGenerator<TrajectoryDetail>;
  ask: AskJudge;
  /** What a good answer is. */
  rubric: string;
  /** How people call the rubric, such as the name of its file. */
  rubricName: string;
  /** The judge, as the author of what is kept. */
  author: string;
  /** Questions under way at once. */
  parallel: number;
  signal?: AbortSignal;
}

export interface JudgeReport {
  rubric: string;
  judged: number;
  abstained: number;
  failed: number;
  mean: number | null;
  failures: { trajectory_id: string; reason: string }[];
}

const DIGEST_DIGITS = 12;
const LONGEST_NAME = 200;
const LONGEST_COMMENT = 20_000;

/** Judges each trajectory and keeps the scores. What was not scored is counted and leaves no number behind. */
export async function runJudge(options: JudgeRunOptions): Promise<JudgeReport> {
  const { library, trajectories, rubric, parallel } = options;
  const digest = createHash('sha256').update(rubric).digest('hex').slice(0, DIGEST_DIGITS);
  const name = `${options.rubricName}@${digest}`;
  const report: JudgeReport = { rubric: name, judged: 0, abstained: 0, failed: 0, mean: null, failures: [] };
  let sum = 0;

  async function judgeRemaining(): Promise<void> {
    for (;;) {
      const { value: detail, done } = await trajectories.next();
      if (done === true) return;
      const { trajectory_id: id } = detail.summary;
      const { outcome, reason } = await judge(detail, options);
      if (outcome.kind === 'abstained') report.abstained += 1;
      else if (outcome.kind === 'failed') {
        report.failed += 1;
        report.failures.push({ trajectory_id: id, reason: outcome.reason });
      } else {
        await library.writeFeedback({
          trajectory_id: id,
          author: options.author.slice(0, LONGEST_NAME),
          author_kind: 'judge',
          // The same rubric asked again revises; another one is another opinion.
          key: `judge:${digest}:${id}`,
          kind: 'score',
          score: outcome.reward,
          rubric: name.slice(-LONGEST_NAME),
          ...(reason === '' ? {} : { comment: reason.slice(0, LONGEST_COMMENT) }),
        });
        report.judged += 1;
        sum += outcome.reward;
      }
    }
  }

  await Promise.all(Array.from({ length: parallel }, judgeRemaining));
  return { ...report, mean: report.judged === 0 ? null : sum / report.judged };
}

/** The helper for rewards gives the number; the reason is read from the reply on its way. */
async function judge(
  detail: TrajectoryDetail,
  { ask, rubric, signal }: Pick<JudgeRunOptions, 'ask' | 'rubric' | 'signal'>,
): Promise<{ outcome: Outcome; reason: string }> {
  let reply = '';
  const reward = createJudgeReward({
    rubric,
    judge: async (question) => {
      reply = await ask(question);
      return reply;
    },
  });
  const outcome = await reward({ ...describeForJudge(detail), signal });
  return { outcome, reason: outcome.kind === 'scored' ? readReason(reply) : '' };
}

function readReason(reply: string): string {
  try {
    const { reason } = JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1)) as { reason?: unknown };
    return typeof reason === 'string' ? reason : '';
  } catch {
    // The number was found in another form of reply; it stands without its reason.
    return '';
  }
}
