import type { ChatMessage } from '@lachesis/protocol';
import { createRandom } from '@lachesis/sdk/environment';

import { toQuestion, toToolTurn } from './describe-task.ts';
import type { Task } from './tasks.ts';

/**
 * Prompts of training with answers drawn at random, each as often as any other, whatever the prompt: they teach the form of a
 * reply and nothing about which one is right. With `right` the answers are those, for the comparison with supervised training.
 */
export function listConversations(options: {
  task: Task;
  steps: number;
  examplesPerStep: number;
  seed: number;
  answers: 'random' | 'right';
}): ChatMessage[][] {
  const { task, steps, examplesPerStep, seed, answers } = options;
  const random = createRandom('learns', answers, task.name, seed);
  return Array.from({ length: steps }, () => {
    const replies = random.shuffle(
      Array.from({ length: examplesPerStep }, (_, index) => task.answers[index % task.answers.length] ?? ''),
    );
    return replies.map((reply, index): ChatMessage[] => {
      const item = random.pick(task.train);
      const answer: ChatMessage = { role: 'assistant', content: answers === 'right' ? item.answer : reply };
      if (task.call === undefined) return [toQuestion(item), answer];
      // Whether the tool is called is drawn too: of random answers every second comes without.
      const isCalled = answers === 'right' || index % 2 === 0;
      return isCalled ? [toQuestion(item), ...toToolTurn(item), answer] : [toQuestion(item), answer];
    });
  }).flat();
}
