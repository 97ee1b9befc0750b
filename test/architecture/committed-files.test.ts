import { expect, test } from 'vitest';
import { listRepositoryFiles, readRepositoryFile } from './source-files.ts';

/** What a file must not carry, because it is true on one machine or in one network only. */
const traces: { name: string; pattern: RegExp; instead: string }[] = [
  {
    name: 'a folder of one machine',
    pattern: /(?<![\w.~$}-])\/(?:work|root|home\/[a-z][\w-]*|Users\/[A-Za-z][\w-]*)\/[\w.-]*/,
    instead: 'Use a path relative to the repository, $HOME, or a temporary folder made at run time.',
  },
  {
    name: 'the address of a package registry',
    pattern:
      /registry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|npm\.pkg\.github\.com|files\.pythonhosted\.org|pypi\.org\/simple|(?:index-url|registry)\s*=\s*["']?https?:\/\/[^\s"']+/,
    instead: 'Leave it out: whoever installs uses the registry of their own configuration.',
  },
  {
    name: 'a download address in a lockfile',
    pattern: /"resolved":\s*"https?:[^"]*|\btarball:\s*["']?https?:\S*/,
    instead: 'Make the lockfile without addresses; name, version and integrity pin the package.',
  },
];

/** Bigger files are recorded data: they are searched too, and there are few of them. */
const binary = /\.(?:png|jpe?g|gif|ico|woff2?|gz|zst|zip|parquet|safetensors|sqlite|bin|wasm)$/;

function findTraces(file: string, text: string): string[] {
  return traces.flatMap(({ name, pattern, instead }) => {
    const match = pattern.exec(text);
    if (match === null) return [];
    const line = text.slice(0, match.index).split('\n').length;
    return [`${file}:${line} names ${name} (${match[0].slice(0, 60)}). ${instead}`];
  });
}

test('no committed file names a registry or a folder of one machine', () => {
  const found = listRepositoryFiles()
    .filter((file) => !binary.test(file))
    .flatMap((file) => findTraces(file, readRepositoryFile(file)));
  expect(found.join('\n')).toBe('');
});

test.each([
  ['in prose', ['see ', 'work', 'notes.md'].join('/')],
  ['in a script', `cd ${['', 'root', '.cache'].join('/')}`],
  ['of a user', `cd ${['', 'home', 'alice', 'src'].join('/')}`],
  ['in a lockfile', ['"resolved": "https', '://packages.example/a.tgz"'].join('')],
  ['in .npmrc', ['registry=https', '://packages.example/'].join('')],
])('a trace %s is found', (_where, text) => {
  expect(findTraces('a', text)).toHaveLength(1);
});

test.each(['$HOME/work/x', './work/x', 'https://example.org/work/x', 'the network/work/home', '~/root/'])(
  '%s is no trace',
  (text) => {
    expect(findTraces('a', text)).toEqual([]);
  },
);
