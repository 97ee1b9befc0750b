import { expect, test } from 'vitest';
import { defineEnvironment } from '../define-environment.ts';
import { sampleRewards, type RelayedRequest } from './sample-rewards.ts';

const definition = defineEnvironment({
  name: 'letters',
  description: 'Letters.',
  defaults: { group_size: 16, max_completion_tokens: 8, temperature: 0.7 },
  items: { train: Array.from({ length: 32 }, (_, index) => `Write ${index}.`), evaluation: ['Write.'] },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse }) => {
    if (finalResponse === 'break') throw new Error('the judge is away');
    return finalResponse === 'right' ? 1 : 0;
  },
});

async function sample(texts: readonly string[]) {
  const asked: RelayedRequest[] = [];
  const tasks: (readonly number[])[] = [];
  let id = 0;
  await sampleRewards({
    ...{ definition, tasks: 3, groupSize: texts.length, signal: new AbortController().signal },
    ...{ nextId: () => `${(id += 1)}`, now: () => 0, onTask: (rewards) => void tasks.push(rewards) },
    async ask(request) {
      asked.push(request);
      return texts.slice(0, request.samples).map((text) => ({ text, finishReason: 'stop' }));
    },
  });
  return { asked, tasks };
}

test('the first tasks are asked for with the settings of the run, and what each reply earns is told', async () => {
  const { asked, tasks } = await sample(['right', 'wrong']);
  expect(tasks).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ]);
  expect(asked[0]).toMatchObject({ samples: 2, maxTokens: 8, temperature: 0.7 });
});

test('a task whose replies cannot be graded has no rewards', async () => {
  expect((await sample(['break', 'break'])).tasks).toEqual([[], [], []]);
});
