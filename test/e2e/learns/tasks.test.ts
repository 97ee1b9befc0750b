import type { ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';

import { describeTask } from './describe-task.ts';
import { listConversations } from './list-conversations.ts';
import { makeTask, TASK_NAMES } from './tasks.ts';
import type { TaskItem } from './tasks.ts';

const readText = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string' ? message.content : '';

/** All that is read before the answer. */
const readPrompt = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(({ role }) => role === 'user')
    .map(readText)
    .join(' ');
const nameOf = ({ prompt, tool }: TaskItem): string => (tool === undefined ? prompt : `${prompt} ${tool}`);

test.each(TASK_NAMES)(
  '%s: a held-out combination is in no warm-up and no training, and each answer is held out',
  (name) => {
    for (const seed of [1, 2, 3]) {
      const task = makeTask(name, seed);
      const heldOut = new Set(task.heldOut.map(nameOf));
      expect(heldOut.size).toBeGreaterThanOrEqual(6);
      expect(new Set(task.heldOut.map(({ answer }) => answer)).size).toBe(task.answers.length);
      expect(task.train.filter((item) => heldOut.has(nameOf(item)))).toEqual([]);
      for (const answers of ['random', 'right'] as const) {
        const conversations = listConversations({ ...{ task, steps: 10, seed, answers }, examplesPerStep: 16 });
        expect(conversations.filter((messages) => heldOut.has(readPrompt(messages)))).toEqual([]);
      }
      // No answer that looks at no prompt comes near the bar.
      expect(task.constant).toBeLessThan(0.6);
    }
  },
);

test.each(TASK_NAMES)('%s: answers of the warm-up say nothing about which is right', (name) => {
  const task = makeTask(name, 1);
  const right = new Map(task.train.map((item) => [nameOf(item), item.answer]));
  const conversations = listConversations({ ...{ task, steps: 400, seed: 1, answers: 'random' }, examplesPerStep: 16 });
  // Who did not call its tool has seen nothing to answer.
  const asked = conversations.filter((messages) => right.has(readPrompt(messages)));
  const share =
    asked.filter((messages) => right.get(readPrompt(messages)) === messages.at(-1)?.content).length / asked.length;
  expect(share).toBeCloseTo(1 / task.answers.length, 1);
});

test('the tool answers whoever called it, once, and an answer without it earns nothing', () => {
  const [item] = makeTask('tool', 1).train;
  const { turns, computeReward } = describeTask('tool');
  const say = (text: string, turn: number) => turns(item!, { text, turn });
  expect(say('T', 1)).toEqual({ role: 'user', content: item!.tool });
  expect(say('1', 1)).toBeUndefined();
  expect(say('T', 2)).toBeUndefined();
  const earn = (finalResponse: string, turnsUsed: number) => computeReward(item!, { finalResponse, turnsUsed });
  expect(earn(item!.answer, 2)).toBe(1);
  expect(earn(item!.answer, 1)).toBe(0);
  expect(earn('T', 2)).toBe(0);
});
