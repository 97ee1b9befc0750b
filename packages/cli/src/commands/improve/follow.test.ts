import type { ModelImprovement } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createProgressReader } from './follow.ts';
import { describeProgress } from './run.ts';

const begun: ModelImprovement = {
  ...{ improvement_id: 'i', model: 'm', stage: 'collect', outcome: null, reason: null, problem: null, stages: [] },
  ...{ state: 'waiting', progress: null, created_at: 1, ended_at: null },
};
const done = (...names: string[]): ModelImprovement['stages'] => names.map((stage) => ({ stage, content: {} }));

function tell(looks: readonly Partial<ModelImprovement>[], from: ModelImprovement = begun): string[] {
  const read = createProgressReader(from);
  return looks.flatMap((look) => read({ ...from, ...look }).map((progress) => describeProgress(progress).trim()));
}

test('what is seen of a server reads as what a process here says of itself', () => {
  expect(
    tell([
      {},
      { state: 'running' },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter') },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter'), progress: '3 of 4' },
      { state: 'running', stage: 'rate', stages: done('collect', 'filter'), progress: '3 of 4' },
      {
        state: 'ended',
        stage: 'rate',
        stages: done('collect', 'filter', 'rate'),
        outcome: 'too-few',
        reason: '4 of 20',
      },
    ]),
  ).toEqual([
    'collect started',
    'collect done',
    'filter started',
    'filter done',
    'rate started',
    'rate working: 3 of 4',
    'rate done: too-few: 4 of 20',
  ]);
});

test('one that goes on is told from where it stood, and one that is stopped ends in its stage', () => {
  const from = { ...begun, stage: 'train', stages: done('collect', 'filter') };
  expect(tell([{ state: 'running' }, { state: 'ended', outcome: 'stopped', reason: 'asked for' }], from)).toEqual([
    'train started',
  ]);
});
