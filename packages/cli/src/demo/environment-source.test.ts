import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

import { PRESETS } from './preset.ts';

const run = promisify(execFile);
const main = join(import.meta.dirname, '../main.ts');

test.each(Object.values(PRESETS))(
  '$environmentFile has at most 40 lines and passes its checklist in a folder where nothing is installed',
  { timeout: 60_000 },
  async ({ environmentFile, environmentSource }) => {
    expect(environmentSource.trim().split('\n').length).toBeLessThanOrEqual(40);
    const directory = await mkdtemp(join(tmpdir(), 'lachesis-demo-'));
    await writeFile(join(directory, environmentFile), environmentSource);
    const args = ['--conditions=lachesis-source', main, 'env', 'check', environmentFile, '--json'];
    const { stdout } = await run(process.execPath, args, { cwd: directory });
    const lines = JSON.parse(stdout) as { name: string; verdict: string }[];
    expect(lines.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(lines).toHaveLength(6);
    await rm(directory, { recursive: true });
  },
);
