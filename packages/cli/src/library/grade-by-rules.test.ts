import { readRules } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { describeForJudge } from './describe-for-judge.ts';
import { gradeByRules, type FeedbackRule } from './grade-by-rules.ts';
import { makeDetail, makeToolRun, makeTurn } from './trajectories.fixture.ts';

const grade = (rules: FeedbackRule[], detail = makeToolRun()) =>
  gradeByRules(detail, rules).map(({ rule, score }) => [rule.name, score]);
const answered = (content: string) =>
  makeDetail([makeTurn(0, [{ role: 'user', content: 'q' }], { role: 'assistant', content })]);

test('each kind of rule says what it is worth, and nothing where it does not hold and has no otherwise', () => {
  const rules: FeedbackRule[] = [
    { name: 'sunny', when: { contains: 'SUNNY' }, score: 1 },
    { name: 'rain', when: { contains: 'rain' }, score: 1 },
    { name: 'short', when: { length: { max: 3 } }, score: 1, otherwise: 0.25 },
    { name: 'looked', when: { tool: 'weather' }, score: 0.5 },
    { name: 'end', when: { regex: String.raw`\.$` }, score: 0.75 },
    { name: 'fine', when: { error: false }, score: 1 },
  ];
  expect(grade(rules)).toEqual([
    ['sunny', 1],
    ['short', 0.25],
    ['looked', 0.5],
    ['end', 0.75],
    ['fine', 1],
  ]);
  expect(grade([{ name: 'json', when: { json: true }, score: 1, otherwise: 0 }], answered('{"a": 1}'))).toEqual([
    ['json', 1],
  ]);
});

test('a call that failed has no reply that could be scored; a rule about errors sees it', () => {
  const failed = makeDetail([
    makeTurn(0, [{ role: 'user', content: 'q' }], undefined, {
      state: 'failed',
      error: { message: 'no', status: 500 },
    }),
  ]);
  const rules: FeedbackRule[] = [
    { name: 'short', when: { length: { max: 3 } }, score: 1, otherwise: 0 },
    { name: 'broken', when: { error: true }, score: 0 },
  ];
  expect(grade(rules, failed)).toEqual([['broken', 0]]);
});

test.each([
  ['nothing', [], 'at least one'],
  ['no name', [{ when: { json: true }, score: 1 }], 'needs a name'],
  ['a wrong score', [{ name: 'a', when: { json: true }, score: 2 }], 'score from 0 to 1'],
  ['an unknown condition', [{ name: 'a', when: { like: 'x' }, score: 1 }], 'needs under when one of'],
  ['a broken regex', [{ name: 'a', when: { regex: '(' }, score: 1 }], 'regex that cannot be read'],
  ['an unknown field', [{ name: 'a', when: { json: true }, score: 1, weight: 2 }], '"weight"'],
  ['a name twice', Array.from({ length: 2 }, () => ({ name: 'a', when: { json: true }, score: 1 })), 'two rules'],
])('refuses %s and says why', (_what, value, why) => {
  expect(readRules(value)).toEqual({ problem: expect.stringContaining(why) });
});

test('rules stand in a list or under the name rules', () => {
  const rules = [{ name: 'a', when: { contains: 'x' }, score: 1 }];
  expect(readRules(rules)).toEqual({ rules });
  expect(readRules({ rules })).toEqual({ rules });
});

test('a judge sees the task, and the way to the answer where tools were used', () => {
  expect(describeForJudge(answered('<think>hm</think>four'))).toEqual({
    answer: 'four',
    messages: [{ role: 'user', content: 'q' }],
  });
  expect(describeForJudge(makeToolRun()).answer).toBe(
    '[calls weather {"city": "Paris"}]\ntool: {"sky": "clear"}\nassistant: Sunny.',
  );
});
