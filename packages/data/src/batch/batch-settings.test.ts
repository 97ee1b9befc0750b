import { expect, it } from 'vitest';
import { batchSettingsSchema } from './batch-settings.ts';

const given = { dataset_file: 'p.jsonl', batch_size: 2, model: 'm', base_url: 'http://127.0.0.1:1/v1' };
const refuse = (more: object): string | undefined =>
  batchSettingsSchema.safeParse({ ...given, ...more }).error?.issues[0]?.message;

it('refuses a distribution that nobody knows, or whose chances are none, before there is a job', () => {
  expect(refuse({ distribution: 'nope' })).toMatch(/^There is no distribution "nope"\. There are: default, .*[a-z]$/);
  expect(refuse({ distribution: 'mine', distributions: { mine: { web: 120 } } })).toContain(
    'a percentage from 0 to 100',
  );
  expect(refuse({ distribution: 'mine', distributions: { mine: { web: 20 } } })).toBeUndefined();
  expect(refuse({})).toBeUndefined();
});
