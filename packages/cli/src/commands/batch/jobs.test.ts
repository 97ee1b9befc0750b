import { openHome, openWork } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startFakeControl } from '../../mcp/fake-control.fixture.ts';
import { describeJob, describeTroubles } from './job-text.ts';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** What a person sees, and the code it ends with. */
function type(words: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: unknown; out: string; err: string }> {
  const all = { ...process.env, DATABASE_URL: undefined, LACHESIS_URL: undefined, LACHESIS_CONTROL_PORT: '1', ...env };
  return new Promise((resolve) => {
    const options = { env: all, timeout: 60_000 };
    execFile(process.execPath, ['--conditions=lachesis-source', main, ...words], options, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

it('shows the jobs of a home, each by the beginning of its name', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-jobs-'));
  try {
    const env = { LACHESIS_HOME: home };
    expect((await type(['batch', 'list'], env)).out).toContain('no jobs');
    {
      await using opened = await openHome({ home });
      const { store, blobs } = opened;
      for (const [tenantId, name] of [
        ['local', 'my_run'],
        ['other', 'theirs'],
      ] as const) {
        const job = openWork({ store, blobs, tenantId, name });
        await job.create({ settings: {}, inputs: [{ prompt: 'private' }, { prompt: 'private' }] });
        const [item] = await job.acquire({ holder: 'me', leaseSeconds: 60, count: 1 });
        const failure = { reason: '\u001B[31maway', cost: 0.5, isLast: true, restMs: 0, isStartingOver: false };
        await job.fail({ item: item!, ...failure });
      }
    }
    const [list, json, show, theirs, nobody, wrong] = await Promise.all([
      type(['batch', 'list'], env),
      type(['batch', 'list', '--json'], env),
      type(['batch', 'show', 'my'], env),
      type(['batch', 'show', 'theirs', '--tenant', 'other', '--json'], env),
      type(['batch', 'show', 'theirs'], env),
      type(['batch', 'lits'], env),
    ]);
    expect(list.out).toMatch(/^my_run: 0 of 2 done · 1 failed · 1 left · \$0\.5000 · made /);
    expect(JSON.parse(json.out)).toMatchObject({ jobs: [{ name: 'my_run', counts: { ready: 1 } }], next: null });
    expect(show.out).toContain('item 0 failed, attempt 1: away');
    expect(show.out).toContain('lachesis batch --run_name my_run --resume');
    for (const hidden of ['\u001B', 'private']) expect(show.out).not.toContain(hidden);
    expect(JSON.parse(theirs.out)).toMatchObject({ name: 'theirs', failures: [{ index: 0, attempts: 1 }] });
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('`lachesis batch list` lists them all')]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean lachesis batch list?')]);
  } finally {
    await rm(home, { recursive: true });
  }
}, 120_000);

it('shows the jobs of a server', async () => {
  await using control = await startFakeControl({ token: 'secret' });
  const server = ['--server', control.url, '--token', 'secret'];
  const [list, show, nobody] = await Promise.all([
    type(['batch', 'list', '--json', ...server], {}),
    type(['batch', 'show', 'my_run', '--json'], { LACHESIS_URL: control.url, LACHESIS_TOKEN: 'secret' }),
    type(['batch', 'show', 'nobody', ...server], {}),
  ]);
  expect(JSON.parse(list.out)).toMatchObject({ jobs: [{ name: 'my_run' }], next: null });
  expect(JSON.parse(show.out)).toMatchObject({ name: 'my_run', failures: [{ reason: 'away' }] });
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('There is no job nobody')]);
}, 120_000);

it('says what keeps a job from its end, and nothing where somebody works on it', () => {
  const job = {
    ...{ name: 'r', item_count: 30, counts: { ready: 3, leased: 2, done: 1, discarded: 2, failed: 22 }, cost: 0 },
    ...{ is_worked_on: true, created_at: 0, changed_at: 0, failures: [{ index: 4, attempts: 2, reason: null }] },
  };
  expect(describeJob(job)).toBe(
    'r: 1 of 30 done · 2 discarded · 22 failed · 5 left · somebody works on it · made 1970-01-01 00:00:00\n',
  );
  expect(describeTroubles(job)).toBe('  item 4 failed, attempt 2: no reason was kept\n  and 21 more\n');
  expect(describeTroubles({ ...job, is_worked_on: false })).toContain('nobody works on it');
});
