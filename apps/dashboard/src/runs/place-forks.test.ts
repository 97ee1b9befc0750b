import type { RunSummary } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { placeForks } from './place-forks.ts';

const run = (id: string, forkOf?: string): RunSummary => ({
  ...{ run_id: id, environment: 'toy', status: 'completed', reason: null, wandb_run_name: null },
  ...{ created_at: 0, started_at: null, ended_at: null, fork_of: forkOf ?? null },
});
const place = (...runs: RunSummary[]): string[] => placeForks(runs).map(({ run_id: id, depth }) => `${depth} ${id}`);

test('forks stand below the run they came from, and forks of theirs below them', () => {
  const runs = [run('e'), run('d', 'b'), run('c', 'a'), run('b', 'a'), run('a')];
  expect(place(...runs)).toEqual(['0 e', '0 a', '1 c', '1 b', '2 d']);
});

test('a fork of a run that is not in the list stands for itself', () => {
  expect(place(run('b', 'gone'), run('a'))).toEqual(['0 b', '0 a']);
});

test('none is lost where runs name themselves', () => {
  expect(place(run('a', 'a'))).toEqual(['0 a']);
});
