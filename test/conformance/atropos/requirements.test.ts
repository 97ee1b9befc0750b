import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { EDGE_CASES } from './edges/run-edges.ts';
import { parseExpectedFailures, readExpectedFailures } from './expected-failures.ts';
import { REQUIREMENTS } from './requirements.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../..');

const known = REQUIREMENTS.map(({ id }) => id as string);
const citations = [join(ROOT, 'test'), join(ROOT, 'packages/server/src')].flatMap(listSources).flatMap(readCitations);

describe('the requirements table', () => {
  test('has each id once, in kebab-case', () => {
    expect(known.filter((id, index) => known.indexOf(id) !== index)).toEqual([]);
    expect(known.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test('says each promise in one sentence and where it comes from', () => {
    const poor = REQUIREMENTS.filter(
      ({ sentence, source }) => !/^[A-Z0-9"'].*\.$|^[a-z_/].*\.$/.test(sentence) || source === '',
    );
    expect(poor).toEqual([]);
  });

  test('is cited line by line', () => {
    const cited = new Set(citations.map(({ id }) => id));
    const uncited = known.filter((id) => !cited.has(id));
    expect(uncited, `call verifies('id') in the test or show that proves each of these`).toEqual([]);
  });

  test('knows every id that is cited', () => {
    const strangers = citations.filter(({ id }) => !known.includes(id));
    expect(strangers, 'add these to REQUIREMENTS, or mend the spelling').toEqual([]);
  });
});

describe('edge cases', () => {
  test('have names of their own', () => {
    const names = EDGE_CASES.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('expected failures', () => {
  test('name edge cases that exist, once, with a reason', () => {
    const names = readExpectedFailures().map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const cases = EDGE_CASES.map(({ name }) => `edges/${name}`);
    expect(names.filter((name) => !cases.includes(name))).toEqual([]);
  });

  test('are read in the form the file promises', () => {
    expect(parseExpectedFailures('# head\n- name: edges/a\n  reason: because\n')).toEqual([
      { name: 'edges/a', reason: 'because' },
    ]);
    expect(parseExpectedFailures('# head\n\n[]\n')).toEqual([]);
  });

  test('are refused in any other form', () => {
    for (const text of [
      '- name: edges/a\n',
      '- edges/a\n  reason: x\n',
      '- name: edges/a\n  reason:\n',
      '[]\n- name: a\n',
    ]) {
      expect(() => parseExpectedFailures(text)).toThrow(/cannot read/);
    }
  });
});

interface Citation {
  readonly id: string;
  readonly file: string;
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : listSources(path);
    const isSource = entry.name.endsWith('.ts') && !['requirements.ts', 'requirements.test.ts'].includes(entry.name);
    return isSource ? [path] : [];
  });
}

function readCitations(file: string): Citation[] {
  const calls = readFileSync(file, 'utf8').matchAll(/\bverifies\(([^)]*)\)/g);
  return [...calls].flatMap(([, ids = '']) =>
    [...ids.matchAll(/'([^']*)'/g)].map(([, id = '']) => ({ id, file: file.slice(ROOT.length + 1) })),
  );
}
