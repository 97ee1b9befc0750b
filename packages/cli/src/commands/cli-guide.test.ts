import { CONTROL_SETTINGS, INFERENCE_SETTINGS, TRAINER_SETTINGS, TRAJECTORY_API_SETTINGS } from '@lachesis/server';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, type CommandEntry } from '../command-table.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';

// Tests run from the root of the repository.
const GUIDES = join(process.cwd(), 'docs', 'guides');
const guide = readFileSync(join(GUIDES, 'cli.md'), 'utf8');

const section = (title: string): string => guide.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

function listCommands({ commands, isRunAlone }: CommandEntry, path: readonly string[] = []): string[] {
  const own = commands === undefined || isRunAlone === true ? [['lachesis', ...path].join(' ')] : [];
  const below = Object.entries(commands ?? {}).flatMap(([name, entry]) => listCommands(entry, [...path, name]));
  return [...own, ...below];
}

test('the guide of the command line has every command, and none that does not exist', () => {
  const listed = [...section('Every command').matchAll(/^\| `(lachesis [^`]+)` \|/gm)].map(
    ([, command]) => command ?? '',
  );
  const known = listCommands(COMMANDS);
  expect(known.filter((command) => !listed.includes(command))).toEqual([]);
  expect(listed.filter((command) => !known.includes(command))).toEqual([]);
});

test('the guide has every exit code', () => {
  const listed = [...section('Exit codes').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT_CODES));
});

test('the guide has every variable that is a setting', () => {
  const listed = new Set([...section('Variables').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
  const settings = [CONTROL_SETTINGS, INFERENCE_SETTINGS, TRAINER_SETTINGS, TRAJECTORY_API_SETTINGS].flatMap(
    (each): { environmentVariable?: string }[] => Object.values(each),
  );
  const missing = settings.flatMap(({ environmentVariable: name }) =>
    name === undefined || listed.has(name) ? [] : [name],
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('the pictures of the guide are there', () => {
  const pictures = [...guide.matchAll(/\]\((\.\.\/screens\/[^)]+)\)/g)].map(([, path]) => path ?? '');
  expect(pictures).toHaveLength(3);
  expect(pictures.filter((path) => !existsSync(join(GUIDES, path)))).toEqual([]);
});
