import type { TrajectoryDetail, TrajectoryFilter } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { findSide, pairSides } from './pair-sides.ts';
import { countPairs, renderPairs } from './render-pairs.ts';
import { makeSummary, makeTurn } from './trajectories.fixture.ts';

let made = 0;
function makeRun(
  source: string,
  task: string,
  reply: string,
  fields: Parameters<typeof makeSummary>[0] = {},
): TrajectoryDetail {
  made += 1;
  const summary = makeSummary({ trajectory_id: `t${made}`, source, title: 'cut', ...fields });
  const messages = [{ role: 'user' as const, content: task }];
  return { summary, turns: [makeTurn(0, messages, { role: 'assistant', content: reply })], gaps: [] };
}

const library = (runs: TrajectoryDetail[]) => ({
  listTrajectories: async ({ filter = {} }: { filter?: TrajectoryFilter } = {}) => ({
    trajectories: runs
      .map(({ summary }) => summary)
      .filter(
        ({ source, model, tags }) =>
          (filter.source ?? source) === source &&
          (filter.model ?? model) === model &&
          (filter.tag === undefined || tags.includes(filter.tag)),
      ),
    next_cursor: null,
  }),
  readTrajectory: async (id: string) => runs.find(({ summary }) => summary.trajectory_id === id),
});

test('pairs two batches by what was asked, the worst first, and says where they part', async () => {
  const reader = library([
    makeRun('batch:a', 'one', 'yes', { outcome: 'scored', reward: 1 }),
    makeRun('batch:a', 'two', 'yes', { outcome: 'scored', reward: 0 }),
    makeRun('batch:a', 'three', 'yes', { outcome: 'finished' }),
    makeRun('batch:a', 'alone', 'yes'),
    makeRun('batch:a', 'same', 'yes', { outcome: 'scored', reward: 1 }),
    makeRun('batch:b', 'same', 'yes', { outcome: 'scored', reward: 1 }),
    makeRun('batch:b', 'two', 'no', { outcome: 'scored', reward: 1 }),
    makeRun('batch:b', 'one', 'no', { outcome: 'scored', reward: 0.5 }),
    makeRun('batch:b', 'three', 'no', { outcome: 'failed' }),
  ]);
  const paired = await pairSides(reader, { source: 'batch:a' }, { source: 'batch:b' });
  expect(paired.pairs.map(({ task }) => task)).toEqual(['three', 'one', 'same', 'two']);
  expect(countPairs(paired)).toEqual({
    ...{ pairs: 4, better: 1, worse: 1, changed_outcomes: 1, other_words: 3, left_alone: 1, right_alone: 0 },
    mean_gain: expect.closeTo(0.5 / 3),
  });
  const text = renderPairs(paired, {
    left: 'batch:a',
    right: 'batch:b',
    shown: 2,
    paint: createPaint(false),
    columns: 80,
  });
  expect(text).toContain('4 tasks on both sides: 1 better, 1 worse, mean difference +0.167');
  expect(text).toContain(
    'three\n  finished to failed\n  first difference: message 2 (assistant): says something else\n',
  );
  expect(text).not.toContain('two\n');
});

test('a side is a source, a model, a tag, or a source and a model', async () => {
  const reader = library([
    makeRun('evaluation:x', 'one', 'yes', { model: 'small', tags: ['monday'] }),
    makeRun('evaluation:x', 'one', 'yes', { model: 'large' }),
  ]);
  expect(await findSide(reader, 'evaluation:x')).toEqual({ source: 'evaluation:x' });
  expect(await findSide(reader, 'small')).toEqual({ model: 'small' });
  expect(await findSide(reader, 'monday')).toEqual({ tag: 'monday' });
  expect(await findSide(reader, 'evaluation:x#large')).toEqual({ source: 'evaluation:x', model: 'large' });
  expect(await findSide(reader, 'evaluation:x#none')).toBeUndefined();
});
