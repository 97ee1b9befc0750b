import type { ChatMessage, Feedback, FeedbackInput } from '@lachesis/protocol';
import { feedbackValue } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { makeTrajectory, reply, user } from './recorded-trajectory.fixture.ts';
import { toPreferenceRecords } from './to-preference-records.ts';

let count = 0;
function say(feedback: FeedbackInput, about: Partial<Feedback> = {}): Feedback {
  count += 1;
  return {
    feedback_id: `f${count}`,
    feedback,
    value: feedbackValue(feedback),
    revises: null,
    created_at: 0,
    withdrawn_at: null,
    ...about,
  };
}

const by = { author: 'ann', author_kind: 'person' } as const;
const answering = (id: string, text: string, consent: 'train' | 'keep' = 'train') =>
  makeTrajectory([{ messages: [user('question')], replies: [reply(text)] }], { trajectory_id: id, consent });

test('an edited reply is better than the reply', () => {
  const item = say({ ...by, kind: 'edit', trajectory_id: 'a', turn_index: 0, edited: reply('better') });
  const { records, unused } = toPreferenceRecords({ trajectories: [answering('a', 'worse')], feedback: [item] });
  expect(unused).toEqual([]);
  expect(records).toMatchObject([
    {
      prompt: [user('question')],
      chosen: [reply('better')],
      rejected: [reply('worse')],
      feedback_ids: [item.feedback_id],
    },
  ]);
});

test('a choice between two trajectories pairs what follows their shared beginning, with the narrower consent', () => {
  const { records } = toPreferenceRecords({
    trajectories: [answering('a', 'good'), answering('b', 'bad', 'keep')],
    feedback: [say({ ...by, kind: 'choice', trajectory_id: 'a', over: { trajectory_id: 'b' } })],
  });
  expect(records).toMatchObject([{ chosen: [reply('good')], rejected: [reply('bad')], consent: 'keep' }]);
});

test('a reply that was sampled again makes a pair with the tokens of both, whichever is chosen', () => {
  const tokens = (prompt: number[], ids: number[]) => [
    { prompt_token_ids: prompt, token_ids: ids, logprobs: ids.map(() => -1), policy_version: null },
  ];
  const before = [{ messages: [user('hello')], replies: [reply('hi')] }];
  const asked = { messages: [user('question')], replies: [reply('bad')], tokens: tokens([1, 2], [5, 9]) };
  const again = { ...asked, messages: [user('hello'), reply('hi'), user('question')], replies: [reply('good')] };
  const pair = (better: string, prompt: number[], source = 'reroll') => {
    const sides = [
      makeTrajectory([...before, asked], { trajectory_id: 'told' }),
      makeTrajectory([{ ...again, tokens: tokens(prompt, [7, 9]) }], { trajectory_id: 'again', source }),
    ];
    const [told, rerolled] = [
      { trajectory_id: 'told', turn_index: 1 },
      { trajectory_id: 'again', turn_index: 0 },
    ] as const;
    const [of, over] = better === 'told' ? [told, rerolled] : [rerolled, told];
    const feedback = [say({ ...by, kind: 'choice', ...of, over })];
    return toPreferenceRecords({ trajectories: sides, feedback }).records[0];
  };
  const join = (ids: number[]) => ({ token_ids: [1, 2, ...ids], mask: [0, 0, 1, 1], logprobs: null });
  expect(pair('again', [1, 2])).toMatchObject({
    ...{ prompt: [user('hello'), reply('hi'), user('question')], chosen: [reply('good')], rejected: [reply('bad')] },
    extra: { lachesis: { tokens: { chosen: join([7, 9]), rejected: join([5, 9]) } } },
  });
  expect(pair('told', [1, 2])?.extra).toMatchObject({ lachesis: { tokens: { chosen: join([5, 9]) } } });
  // Other tokens before it, or what an application recorded for any model: the words are what counts.
  expect(pair('again', [1, 3])?.extra).not.toHaveProperty('lachesis.tokens');
  expect(pair('again', [1, 2], 'gateway')?.extra).not.toHaveProperty('lachesis.tokens');
});

test('ratings of replies to one prompt make a pair when they are far enough apart', () => {
  const trajectories = [answering('a', 'good'), answering('b', 'bad'), answering('c', 'nearly')];
  const { records, unused } = toPreferenceRecords({
    trajectories,
    feedback: [
      say({ ...by, kind: 'stars', trajectory_id: 'a', turn_index: 0, stars: 5 }),
      say({ ...by, kind: 'thumb', trajectory_id: 'b', turn_index: 0, is_up: false }),
      say({ ...by, kind: 'score', trajectory_id: 'c', turn_index: 0, score: 0.9 }),
    ],
  });
  expect(records).toMatchObject([{ chosen: [reply('good')], rejected: [reply('bad')] }]);
  expect(unused).toMatchObject([{ reason: expect.stringContaining('about the same') as string }]);
});

test('what was withdrawn or revised counts no more', () => {
  const first = say({ ...by, kind: 'edit', trajectory_id: 'a', turn_index: 0, edited: reply('one') });
  const second = say(
    { ...by, kind: 'edit', trajectory_id: 'a', turn_index: 0, edited: reply('two') },
    { revises: first.feedback_id },
  );
  const gone = say(
    { ...by, kind: 'edit', trajectory_id: 'a', turn_index: 0, edited: reply('three') },
    { withdrawn_at: 5 },
  );
  const { records } = toPreferenceRecords({ trajectories: [answering('a', 'worse')], feedback: [first, second, gone] });
  expect(records.map(({ chosen }) => chosen)).toEqual([[reply('two')]]);
});

test('two people who say the opposite make no pair, and feedback without one is named', () => {
  const { records, unused } = toPreferenceRecords({
    trajectories: [answering('a', 'x'), answering('b', 'y')],
    feedback: [
      say({ ...by, kind: 'choice', trajectory_id: 'a', over: { trajectory_id: 'b' } }),
      say({ ...by, author: 'bob', kind: 'choice', trajectory_id: 'b', over: { trajectory_id: 'a' } }),
      say({ ...by, kind: 'text', trajectory_id: 'a', comment: 'hm' }),
      say({ ...by, kind: 'choice', trajectory_id: 'a', over: { trajectory_id: 'nowhere' } }),
    ],
  });
  expect(records).toEqual([]);
  expect(unused).toHaveLength(4);
});

const calling = (id: string, callId: string, last = 'I do not know.') => {
  const asked: ChatMessage = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: callId, type: 'function', function: { name: 'look', arguments: '{}' } }],
  };
  const answer: ChatMessage = { role: 'tool', tool_call_id: callId, content: 'nothing' };
  return makeTrajectory(
    [
      { messages: [user('question')], replies: [asked] },
      { messages: [answer], replies: [reply(last)] },
    ],
    { trajectory_id: id },
  );
};

test('replies that differ in the ids of their calls alone are one reply, and never a pair', () => {
  const trajectories = [calling('a', 'call_41'), calling('b', 'call_32'), calling('c', 'call_7', 'Nothing is there.')];
  const { records, unused } = toPreferenceRecords({
    trajectories,
    feedback: [
      say({ ...by, kind: 'stars', trajectory_id: 'a', stars: 5 }),
      say({ ...by, kind: 'stars', trajectory_id: 'b', stars: 1 }),
      say({ ...by, kind: 'choice', trajectory_id: 'a', over: { trajectory_id: 'b' } }),
    ],
  });
  expect(records).toEqual([]);
  expect(unused.map(({ reason }) => reason)).toContain('both replies are the same');
  const others = toPreferenceRecords({
    trajectories,
    feedback: [
      say({ ...by, kind: 'stars', trajectory_id: 'c', turn_index: 1, stars: 5 }),
      say({ ...by, kind: 'stars', trajectory_id: 'b', turn_index: 1, stars: 1 }),
    ],
  });
  expect(others.records.map(({ chosen }) => chosen)).toEqual([[reply('Nothing is there.')]]);
});

test('ratings of two raters are not compared, those of one rubric are', () => {
  const trajectories = [answering('a', 'x'), answering('b', 'y')];
  const rule = { author: 'r', author_kind: 'rule' } as const;
  const apart = toPreferenceRecords({
    trajectories,
    feedback: [
      say({ ...by, kind: 'stars', trajectory_id: 'a', stars: 5 }),
      say({ ...rule, kind: 'score', trajectory_id: 'b', score: 0 }),
    ],
  });
  expect(apart.records).toEqual([]);
  expect(apart.unused).toHaveLength(2);
  const together = toPreferenceRecords({
    trajectories,
    feedback: [
      say({ ...rule, kind: 'score', trajectory_id: 'a', score: 1, rubric: 'brief' }),
      say({ ...rule, author: 'another', kind: 'score', trajectory_id: 'b', score: 0, rubric: 'brief' }),
    ],
  });
  expect(together.records).toHaveLength(1);
});
