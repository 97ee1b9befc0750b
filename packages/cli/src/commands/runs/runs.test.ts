import { createIdSource } from '@lachesis/protocol';
import { createTrainingRun, findTrainingRun, openStore } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startFakeControl } from '../../mcp/fake-control.fixture.ts';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));

/** What a person sees, and the code it ends with. */
function type(words: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: unknown; out: string; err: string }> {
  const all = { ...process.env, DATABASE_URL: undefined, RL_API_URL: undefined, LACHESIS_TOKEN: undefined, ...env };
  return new Promise((resolve) => {
    const options = { env: all, timeout: 60_000 };
    execFile(process.execPath, ['--conditions=lachesis-source', main, ...words], options, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

it('shows a run by the beginning of its id, follows its log, and stops it', async () => {
  await using control = await startFakeControl({ token: 'secret' });
  control.setState('running');
  const env = { LACHESIS_CONTROL_URL: control.url, LACHESIS_TOKEN: 'secret' };
  const [list, show, logs, refused] = await Promise.all([
    type(['runs', 'list', '--json'], env),
    type(['runs', 'show', 'a1b'], env),
    type(['logs', 'a1b2c3d4', 'env', '--json'], env),
    type(['runs', 'show', 'a1b'], { ...env, LACHESIS_TOKEN: 'other' }),
  ]);
  expect(JSON.parse(list.out)).toMatchObject({ count: 1, runs: [{ run_id: 'a1b2c3d4', status: 'running' }] });
  expect(show.out).toContain('run a1b2c3d4  running');
  expect(show.out).not.toContain('\u001B');
  expect(JSON.parse(logs.out.split('\n')[0] ?? '')).toEqual({ run_id: 'a1b2c3d4', role: 'env', line: 'env begins' });
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('Give a token with --token or LACHESIS_TOKEN');

  const stop = await type(['stop', 'a1b', '--json'], env);
  expect(JSON.parse(stop.out)).toEqual({ run_id: 'a1b2c3d4', status: 'stopped', reason: 'somebody asked for it' });
  const watch = await type(['runs', 'watch', 'a1b', '--json'], env);
  expect([watch.code, JSON.parse(watch.out)]).toMatchObject([0, { status: 'stopped', process_details: [] }]);
  control.setState('failed', { reason: 'no engine' });
  const failed = await type(['runs', 'watch', 'a1b'], env);
  expect(failed.code).toBe(1);
  expect(failed.out).toContain('run a1b2c3d4 is failed: no engine');
}, 120_000);

it('starts a run as a fork of another, and the server is told of which', async () => {
  const asked: unknown[] = [];
  await using control = await startFakeControl({ token: 'secret', onStart: (body) => asked.push(body) });
  const env = { LACHESIS_CONTROL_URL: control.url, LACHESIS_TOKEN: 'secret' };
  const words = ['runs', 'start', '--environment', 'digits', '--set', 'group_size=8', '--json'];
  const fork = await type([...words, '--fork-of', 'k3v9x2ab'], env);
  expect([fork.err, fork.code]).toEqual(['', 0]);
  await type(words, env);
  expect(asked).toMatchObject([{ environment: 'digits', fork_of: 'k3v9x2ab' }, { environment: 'digits' }]);
  expect(asked[1]).not.toHaveProperty('fork_of');
}, 120_000);

it('ends a run of a home that no server looks after', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-stop-'));
  try {
    const empty = await type(['stop', 'k3v', '--home', home], {});
    expect([empty.code, await readdir(home)]).toEqual([1, []]);
    expect(empty.err).toContain('holds no runs');

    const key = { tenantId: 'local', shortId: 'k3v9x2ab' };
    {
      await using store = await open(home);
      const place = { logPath: join(home, 'log'), port: null };
      await createTrainingRun({
        ...{ store, tenantId: 'local', environment: 'toy', config: {}, ids: createIdSource() },
        details: () => ({}),
        processes: () => ({ api: place, trainer: place, env: place }),
        nextShortId: () => key.shortId,
      });
    }
    const wrong = await type(['stop', 'k3v9x2ax', '--home', home], {});
    expect(wrong.err).toContain('Did you mean k3v9x2ab?');
    const { code, out } = await type(['stop', 'k3v', '--home', home, '--json'], {});
    expect([code, JSON.parse(out)]).toMatchObject([0, { run_id: 'k3v9x2ab', status: 'stopped' }]);
    await using store = await open(home);
    expect((await findTrainingRun({ store, ...key }))?.state).toBe('stopped');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}, 120_000);

async function open(home: string) {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
