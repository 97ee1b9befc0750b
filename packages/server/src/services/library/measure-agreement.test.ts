import { feedbackValue, type Feedback, type FeedbackInput } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { measureAgreement } from './measure-agreement.ts';

type AuthorKind = FeedbackInput['author_kind'];

let next = 0;
function rated(id: string, authorKind: AuthorKind, score: number, fields: Partial<Feedback> = {}): Feedback {
  const feedback: FeedbackInput = {
    trajectory_id: id,
    author: authorKind,
    author_kind: authorKind,
    kind: 'score',
    score,
  };
  const value = feedbackValue(feedback);
  return { feedback_id: String(next++), feedback, value, revises: null, created_at: 0, withdrawn_at: null, ...fields };
}

/** As many trajectories as the table says, rated by both. */
function makeTable(bothGood: number, peopleGood: number, othersGood: number, bothBad: number): Feedback[] {
  const cells = [
    [bothGood, 1, 1],
    [peopleGood, 1, 0],
    [othersGood, 0, 1],
    [bothBad, 0, 0],
  ] as const;
  return cells.flatMap(([count, person, judge], cell) =>
    Array.from({ length: count }, (_, index) => [
      rated(`${cell}-${index}`, 'person', person),
      rated(`${cell}-${index}`, 'judge', judge),
    ]).flat(),
  );
}

test("kappa is Cohen's, on the example of 50 grants", () => {
  const { n, agreement, kappa } = measureAgreement(makeTable(20, 5, 10, 15), 'judge');
  expect([n, agreement]).toEqual([50, 0.7]);
  expect(kappa).toBeCloseTo(0.4, 10);
});

test('what one side alone rated, or what was withdrawn, does not count', () => {
  const feedback = [
    rated('a', 'person', 1),
    rated('b', 'judge', 1),
    rated('c', 'person', 1),
    rated('c', 'judge', 0, { withdrawn_at: 5 }),
  ];
  expect(measureAgreement(feedback, 'judge')).toMatchObject({ n: 0, agreement: null, kappa: null });
});

test('several ratings of one thing are one, their mean', () => {
  const feedback = [rated('a', 'person', 1), rated('a', 'person', 0.5), rated('a', 'judge', 0.75)];
  expect(measureAgreement(feedback, 'judge')).toMatchObject({ n: 1, agreement: 1, distance: 0, kappa: null });
});
