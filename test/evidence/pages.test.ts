import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

import { readEvidence } from './evidence-line.ts';
import { findUnproved, writeEvidencePage } from './write-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const lines = readEvidence(join(root, 'docs/evidence.jsonl'));

test('every figure that a page quotes stands in a line of docs/evidence.jsonl', () => {
  const paths = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const own = paths.filter((path) => path !== 'test/evidence/README.md');
  expect(own.flatMap((path) => findUnproved(read(path), lines).map((quote) => `${path}: ${quote}`))).toEqual([]);
});

test('docs/evidence.md is made of what stands there', () => {
  expect(read('docs/evidence.md')).toBe(writeEvidencePage(lines));
});
