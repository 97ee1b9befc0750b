import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffMessages, joinMessages } from '@lachesis/protocol/conversation';
import { renderDiff } from './render-diff.ts';
import { createPaint } from '../terminal/paint.ts';
import { makeDetail, makeToolRun, makeTurn } from './trajectories.fixture.ts';

const diff = (left = makeToolRun(), right = makeToolRun()) =>
  diffMessages(joinMessages(left.turns), joinMessages(right.turns));

test('runs that differ in the ids of their calls alone are the same', () => {
  const one = makeToolRun();
  const other = structuredClone(one);
  const call = other.turns[0]?.replies[0]?.message.tool_calls?.[0];
  if (call !== undefined)
    Object.assign(call, { id: 'other', function: { name: 'weather', arguments: '{"city":"Paris"}' } });
  expect(diff(one, other).first).toBeUndefined();
});

test('the first difference is named', () => {
  expect(diff(makeToolRun('Paris'), makeToolRun('Rome')).first).toEqual({
    step: 1,
    what: 'message 2 (assistant): calls weather with other arguments',
  });
  expect(diff(makeToolRun('Paris', 'Sunny.'), makeToolRun('Paris', 'Rain.')).first?.what).toBe(
    'message 4 (assistant): says something else',
  );
});

test('a message that one alone has does not shift the others', () => {
  const messages = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
  const more = [messages[0]!, { role: 'system', content: 'x' }, messages[1]!, messages[2]!];
  const { steps, first } = diffMessages(messages, more);
  expect(steps.map(({ kind }) => kind)).toEqual(['same', 'right', 'same', 'same']);
  expect(first?.what).toBe('message 2 (system) is in the second alone');
  const turned = diffMessages(more, messages);
  expect(turned.steps.map(({ kind }) => kind)).toEqual(['same', 'left', 'same', 'same']);
  expect(turned.first?.what).toBe('message 2 (system) is in the first alone');
});

test('every message of both sides stands in the alignment once, in order', () => {
  const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.array(message, { maxLength: 12 }), (left, right) => {
      const { steps } = diffMessages(left, right);
      const lefts = steps.flatMap((step) => (step.kind === 'right' ? [] : [step.left]));
      const rights = steps.flatMap((step) => (step.kind === 'left' ? [] : [step.right]));
      expect(lefts).toEqual(left.map((_, index) => index));
      expect(rights).toEqual(right.map((_, index) => index));
    }),
  );
});

test('a comparison shows both sides of what changed', () => {
  const [left, right] = [makeToolRun('Paris'), makeToolRun('Rome')];
  const sides = [left, right].map((detail) => ({ detail, messages: joinMessages(detail.turns) }));
  const text = renderDiff(sides[0]!, sides[1]!, diff(left, right), { paint: createPaint(false), columns: 80 });
  expect(text).toContain('first difference: message 2 (assistant): calls weather with other arguments');
  expect(text).toContain('- → weather({"city": "Paris"})');
  expect(text).toContain('+ → weather({"city": "Rome"})');
  expect(text).toContain('3 messages are the same, 1 are not');
});

test('a conversation is joined along the line of its turns, forks left aside', () => {
  const user = (content: string) => ({ role: 'user', content });
  const reply = (content: string) => ({ role: 'assistant', content });
  const { turns } = makeDetail([
    makeTurn(0, [user('a')], reply('b')),
    makeTurn(1, [user('c')], reply('d'), { kept_messages: 2 }),
    makeTurn(2, [user('e')], reply('f'), { parent_index: 0, kept_messages: 2 }),
  ]);
  const said = (index?: number) => joinMessages(turns, index).map(({ content }) => content);
  expect(said()).toEqual(['a', 'b', 'e', 'f']);
  expect(said(1)).toEqual(['a', 'b', 'c', 'd']);
});
