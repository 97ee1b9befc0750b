import { expect, test } from 'vitest';
import { findForbidden, type Forbidden } from './forbidden.ts';
import { isTestFile, listSourceFiles, readRepositoryFile } from './source-files.ts';

/** The only room in which records enter the store. */
const owner = 'packages/server/src/services/library/';

const instead =
  'Call `ingestRecords` or `drainOutboxes` of server/services/library: they take out what the settings of this home say.';
const forbidden: Forbidden[] = [
  { pattern: /(?<!function )\brecordCaptures\(/, instead },
  { pattern: /(?<!function )\bdrainOutbox\(/, instead },
];

/** A recorder sends its outbox to a server, which takes it in by the one way. */
const sender = 'packages/sdk/src/capture/recorder/create-recorder.ts';

const findStrays = (file: string, source: string): string[] =>
  file.startsWith(owner) || file === sender ? [] : findForbidden(file, source, forbidden);

test('records enter the store by one way', () => {
  const found = listSourceFiles()
    .filter((file) => !isTestFile(file))
    .flatMap((file) => findStrays(file, readRepositoryFile(file)));
  expect(found.join('\n')).toBe('');
});

test.each(['await recordCaptures({ store })', 'drainOutbox({ folder })'])('another way is found: %s', (source) => {
  expect(findStrays('packages/cli/src/commands/a.ts', source)).toHaveLength(1);
  expect(findStrays(`${owner}a.ts`, source)).toEqual([]);
});
