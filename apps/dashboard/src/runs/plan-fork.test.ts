import type { ControlConfig, RunSettings } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { planFork, sayNoFork } from './plan-fork.ts';

const field = (name: string, value: unknown, usual: unknown = value) => ({
  ...{ name, type: 'integer', description: '', current_value: value, default: usual },
});

const config = (...fields: ReturnType<typeof field>[]): ControlConfig => ({
  environment: 'digits',
  configurable_fields: fields,
  locked_fields: [],
});

const settings = (values: Record<string, unknown>): RunSettings => ({
  ...{ run_id: 'a1b2c3d4', recipe: 'small' },
  settings: Object.entries(values).map(([name, value]) => ({ name, value, recipe_value: null, differs: true })),
});

test('a fork takes what the run had, and nothing that somebody typed before', () => {
  const form = config(
    field('group_size', 8),
    field('total_steps', 400),
    field('max_steps', 7, null),
    field('seed', null),
  );
  const run = settings({ 'env.group_size': 16, 'env.total_steps': 400, 'tinker.learning_rate': 1e-3 });
  expect(planFork(form, run)).toEqual([
    { field: 'group_size', value: 16 },
    { field: 'max_steps', value: null },
  ]);
});

test('a form that is as the run was is left alone', () => {
  expect(planFork(config(field('group_size', 16, 8)), settings({ 'env.group_size': 16 }))).toEqual([]);
});

test('a run of an environment that is not there fills nothing, and that is said', () => {
  const known = ['digits', 'words'];
  expect(sayNoFork({ run: 'a1b2c3d4', environment: 'gone', known })).toContain('Run a1b2c3d4 was in gone, which this');
  expect(sayNoFork({ run: 'a1b2c3d4', environment: 'words', known })).toBeUndefined();
  expect(sayNoFork({ run: 'a1b2c3d4', environment: undefined, known })).toBeUndefined();
});
