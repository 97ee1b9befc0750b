import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVER_VERSION } from './version.ts';

test('is the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(SERVER_VERSION).toBe(version);
});
