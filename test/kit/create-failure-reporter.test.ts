import { mkdtempSync, readFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { createFailureReporter } from './create-failure-reporter.ts';

const makeModule = (moduleId: string, isOk: boolean): TestModule =>
  ({ moduleId, ok: () => isOk }) as Partial<TestModule> as TestModule;

test('the failed files are one command, and where none failed nothing is written', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'failures-')), 'failures');
  const reporter = createFailureReporter(file, '/repository');
  await reporter.onTestRunEnd?.([makeModule('/repository/b.test.ts', true)], [], 'passed');
  expect(existsSync(file)).toBe(false);
  const modules = [
    makeModule('/repository/c/d.test.ts', false),
    makeModule('/repository/b.test.ts', true),
    makeModule('/repository/a.test.ts', false),
  ];
  await reporter.onTestRunEnd?.(modules, [], 'failed');
  expect(readFileSync(file, 'utf8')).toBe('pnpm test a.test.ts c/d.test.ts\n');
});

test('an error outside of every test counts for its file; where one names none, all run once more', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'failures-')), 'failures');
  const reporter = createFailureReporter(file, '/repository');
  const modules = [makeModule('/repository/a.test.ts', false), makeModule('/repository/b.test.ts', true)];
  await reporter.onTestRunEnd?.(modules, [{ message: 'spawn uv ENOENT' }], 'failed');
  expect(readFileSync(file, 'utf8')).toBe('pnpm test\n');
  const placed = { message: 'spawn uv ENOENT', VITEST_TEST_PATH: '/repository/b.test.ts' };
  await reporter.onTestRunEnd?.(modules, [placed], 'failed');
  expect(readFileSync(file, 'utf8')).toBe('pnpm test a.test.ts b.test.ts\n');
});
