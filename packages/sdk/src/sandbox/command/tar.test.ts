import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readTar, writeTar } from './tar.ts';

const long = `${'a-long-folder/'.repeat(30)}with a name that is ü long.txt`;
const files = [
  { path: 'a.txt', content: Buffer.from('a'), isExecutable: false },
  { path: 'odd \n name', content: Buffer.alloc(0), isExecutable: false },
  { path: 'x/run.sh', content: Buffer.alloc(1_025, 7), isExecutable: true },
  { path: long, content: Buffer.from('far'), isExecutable: false },
];

describe('tar', () => {
  it('reads what it writes, long names and empty files too', () => {
    expect(
      [...readTar(writeTar(files))].map(({ path, kind, mode, content }) => [
        path,
        kind,
        mode,
        content.toString('latin1'),
      ]),
    ).toEqual(
      files.map(({ path, content, isExecutable }) => [
        path,
        'file',
        isExecutable ? 0o755 : 0o644,
        content.toString('latin1'),
      ]),
    );
  });
  it('agrees with the system’s tar in both directions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lachesis-tar-'));
    try {
      execFileSync('tar', ['-xf', '-', '-C', folder], { input: writeTar(files) });
      const archive = execFileSync('tar', ['--format=gnu', '-C', folder, '-cf', '-', '.']);
      const found = new Map(
        [...readTar(archive)].filter(({ kind }) => kind === 'file').map((entry) => [entry.path, entry]),
      );
      expect([...found.keys()].sort()).toEqual(files.map(({ path }) => path).sort());
      for (const { path, content } of files) expect(found.get(path)?.content.equals(content)).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  it('gives of a cut archive what was whole, and ends at nonsense', () => {
    const archive = writeTar(files);
    expect([...readTar(archive.subarray(0, 512))]).toHaveLength(0);
    expect([...readTar(archive.subarray(0, 1_024))]).toHaveLength(1);
    expect([...readTar(Buffer.alloc(5_120, 'z'))]).toEqual([]);
    expect([...readTar(Buffer.alloc(0))]).toEqual([]);
  });
});
