import type { FeedbackInput, TrajectoryDetail } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { makeDetail, makeTurn } from '../../library/trajectories.fixture.ts';
import { runJudge, type JudgeReport } from './judge-run.ts';

const verdict = (score: number | null, abstain = false): string =>
  JSON.stringify({ reason: 'because', abstain, score });

/** Judges one trajectory per reply of the judge; a reply that is an error is a judge that is away. */
async function judge(replies: (string | Error)[]): Promise<{ kept: FeedbackInput[]; report: JudgeReport }> {
  const kept: FeedbackInput[] = [];
  async function* walk(): AsyncGenerator<TrajectoryDetail> {
    for (const index of replies.keys()) {
      yield makeDetail([makeTurn(0, [{ role: 'user', content: 'q' }], { role: 'assistant', content: String(index) })], {
        trajectory_id: `t${index}`,
      });
    }
  }
  const report = await runJudge({
    library: {
      writeFeedback: async (request) => {
        const feedback = request as FeedbackInput;
        kept.push(feedback);
        return { feedback_id: 'f', feedback, value: null, revises: null, created_at: 0, withdrawn_at: null };
      },
    },
    trajectories: walk(),
    ask: async ({ messages }) => {
      const { answer } = JSON.parse(messages[1]?.content as string) as { answer: string };
      const reply = replies[Number(answer)];
      if (reply instanceof Error) throw reply;
      return reply ?? '';
    },
    rubric: 'be right',
    rubricName: 'rubric.md',
    author: 'judge-1',
    parallel: 2,
  });
  return { kept, report };
}

test('a score is kept with its reason, its rubric and a key that revises', async () => {
  const { kept, report } = await judge([verdict(0.25)]);
  expect(kept).toEqual([
    {
      trajectory_id: 't0',
      author: 'judge-1',
      author_kind: 'judge',
      key: expect.stringMatching(/^judge:[0-9a-f]{12}:t0$/),
      kind: 'score',
      score: 0.25,
      rubric: expect.stringMatching(/^rubric\.md@[0-9a-f]{12}$/),
      comment: 'because',
    },
  ]);
  expect(report).toMatchObject({ judged: 1, failed: 0, mean: 0.25 });
});

test('an abstention is no feedback, and a judge that fails is reported and gives no number', async () => {
  const { kept, report } = await judge([
    verdict(null, true),
    verdict(7),
    'I would say it is fine.',
    new Error('the judge is away'),
    verdict(1),
  ]);
  expect(kept.map((each) => each.trajectory_id)).toEqual(['t4']);
  expect(report).toMatchObject({ judged: 1, abstained: 1, failed: 3, mean: 1 });
  expect(report.failures.map(({ trajectory_id: id }) => id).sort()).toEqual(['t1', 't2', 't3']);
  expect(report.failures.find(({ trajectory_id: id }) => id === 't1')?.reason).toContain('is not from 0 to 1');
});

test('with nothing judged there is no mean', async () => {
  expect((await judge([])).report).toMatchObject({ judged: 0, mean: null });
});
