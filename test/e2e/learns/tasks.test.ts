import type { ChatMessage } from '@lachesis/protocol';
import { expect, test } from 'vitest';

import { listConversations } from './list-conversations.ts';
import { makeTask, TASK_NAMES } from './tasks.ts';

const readText = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string' ? message.content : '';

test.each(TASK_NAMES)(
  '%s: a held-out combination is in no warm-up and no training, and each answer is held out',
  (name) => {
    for (const seed of [1, 2, 3]) {
      const task = makeTask(name, seed);
      const heldOut = new Set(task.heldOut.map(({ prompt }) => prompt));
      expect(heldOut.size).toBeGreaterThanOrEqual(6);
      expect(new Set(task.heldOut.map(({ answer }) => answer)).size).toBe(task.answers.length);
      expect(task.train.filter(({ prompt }) => heldOut.has(prompt))).toEqual([]);
      for (const answers of ['random', 'right'] as const) {
        const conversations = listConversations({ ...{ task, steps: 10, seed, answers }, examplesPerStep: 16 });
        expect(conversations.filter(([user]) => heldOut.has(readText(user)))).toEqual([]);
      }
      // No answer that looks at no prompt comes near the bar.
      expect(task.constant).toBeLessThan(0.6);
    }
  },
);

test.each(TASK_NAMES)('%s: answers of the warm-up say nothing about which is right', (name) => {
  const task = makeTask(name, 1);
  const right = new Map(task.train.map(({ prompt, answer }) => [prompt, answer]));
  const conversations = listConversations({ ...{ task, steps: 400, seed: 1, answers: 'random' }, examplesPerStep: 16 });
  const share =
    conversations.filter(([user, reply]) => right.get(readText(user)) === reply?.content).length / conversations.length;
  expect(share).toBeCloseTo(1 / task.answers.length, 1);
});
