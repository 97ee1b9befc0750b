import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { copyDashboard } from './copy-dashboard.ts';

test('the page is carried with its texts compressed, and nothing is left of the one before', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lachesis-dashboard-'));
  const [from, to] = [path.join(folder, 'dist'), path.join(folder, 'dashboard')];
  try {
    expect(await copyDashboard({ from, to })).toBe(false);
    const script = 'x'.repeat(2_000);
    await mkdir(path.join(from, 'assets'), { recursive: true });
    await mkdir(to);
    await writeFile(path.join(to, 'old.js'), '');
    await writeFile(path.join(from, 'index.html'), '<title>Lachesis</title>');
    await writeFile(path.join(from, 'assets/a-1.js'), script);
    await writeFile(path.join(from, 'assets/f-2.woff2'), script);
    expect(await copyDashboard({ from, to })).toBe(true);
    const files = ['assets', 'assets/a-1.js', 'assets/a-1.js.br', 'assets/a-1.js.gz', 'assets/f-2.woff2', 'index.html'];
    expect((await readdir(to, { recursive: true })).toSorted()).toEqual(files);
    expect(brotliDecompressSync(await readFile(path.join(to, 'assets/a-1.js.br'))).toString()).toBe(script);
    expect(gunzipSync(await readFile(path.join(to, 'assets/a-1.js.gz'))).toString()).toBe(script);
  } finally {
    await rm(folder, { recursive: true });
  }
});
