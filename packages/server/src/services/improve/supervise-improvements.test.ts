import {
  acquireImprovement,
  advanceImprovement,
  changeImprovementRunner,
  findImprovement,
  openStore,
  releaseImprovement,
  startImprovement,
  type Store,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessTable, SpawnOptions } from '../runs/supervisor/process-table.ts';
import { stopImprovement } from './improvements.ts';
import { superviseImprovements } from './supervise-improvements.ts';

const tenantId = 'a';

interface Bench extends AsyncDisposable {
  store: Store;
  started: SpawnOptions[];
  killed: string[];
  /** Time passes when a test says so. */
  clock: { at: number };
  begin: (model: string) => Promise<string>;
  /** Another server over the same database. */
  look: () => () => Promise<boolean>;
}

async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-improve-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  const [started, killed, clock]: [SpawnOptions[], string[], { at: number }] = [[], [], { at: 0 }];
  const table: ProcessTable = {
    spawn: (options) => ({ pid: started.push(options) }),
    readStart: (pid) => `began ${pid}`,
    list: async () => [],
    signal: (pid, signal) => killed.push(`${signal} ${pid}`) > 0,
    host: () => 'here',
    self: () => 'here/1/1',
    isGone: () => false,
  };
  return {
    ...{ store, started, killed, clock },
    async begin(model) {
      const plan = { model };
      const { improvement } = await startImprovement({
        ...{ store, tenantId, model, stage: 'collect', plan, runner: 'server' },
      });
      return improvement.improvementId;
    },
    look: () =>
      superviseImprovements({
        ...{ store, table, monotonic: () => clock.at, say: () => undefined, mostAtOnce: 2 },
        plan: ({ improvementId }) => ({
          ...{ file: 'program', arguments: [improvementId], env: {}, logPath: join(folder, 'log') },
        }),
      }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

test('each gets one process, so many at once, and what has a holder gets none', async () => {
  await using bench = await openBench();
  const ids = [await bench.begin('m'), await bench.begin('n'), await bench.begin('o')];
  const [look, other] = [bench.look(), bench.look()];
  expect(await look()).toBe(true);
  await look();
  expect(bench.started.map(({ arguments: given }) => given)).toEqual([[ids[0]], [ids[1]]]);
  // Held from another machine: another server leaves it alone, also one that has just started.
  for (const improvementId of ids) {
    await acquireImprovement({ store: bench.store, tenantId, improvementId, holder: 'x@there/1/1', seconds: 60 });
  }
  await other();
  expect(bench.started).toHaveLength(2);
});

test('a process that dies is started again after a pause; one that dies again and again is given up with the reason', async () => {
  await using bench = await openBench();
  const id = await bench.begin('m');
  const look = bench.look();
  await look();
  for (let death = 1; death <= 5; death += 1) {
    expect(bench.started).toHaveLength(death);
    bench.started.at(-1)?.onExit({ code: 1, signal: null });
    await look();
    await look();
    // Not before its pause is over.
    expect(bench.started).toHaveLength(death);
    bench.clock.at += 30_000;
    await look();
  }
  expect(bench.started).toHaveLength(5);
  const given = await findImprovement({ store: bench.store, tenantId, ref: id });
  expect(given).toMatchObject({
    // Whose plan it is stays known: who resumes it at home does not lend it a key.
    runner: 'server-paused',
    endedAt: null,
    problem: expect.stringContaining('ended 5 times (exit code 1)'),
  });
  expect(await look()).toBe(false);
});

test('a stage that fails slowly is given up too; one that is done begins the count anew', async () => {
  await using bench = await openBench();
  const [slow, moving] = [await bench.begin('m'), await bench.begin('n')];
  const { store } = bench;
  const look = bench.look();
  for (let death = 1; death <= 5; death += 1) {
    await look();
    if (death === 3) {
      const held = await acquireImprovement({ store, tenantId, improvementId: moving, holder: 'x', seconds: 60 });
      if (held === undefined) throw new Error('it is held');
      await advanceImprovement({ store, lease: held.lease, from: 'collect', content: {}, to: { stage: 'filter' } });
      await releaseImprovement({ store, lease: held.lease, problem: 'x' });
    }
    for (const { onExit } of bench.started.splice(0)) onExit({ code: 1, signal: null });
    await look();
    bench.clock.at += 60 * 60_000;
  }
  expect(await findImprovement({ store, tenantId, ref: slow })).toMatchObject({ runner: 'server-paused' });
  expect(await findImprovement({ store, tenantId, ref: moving })).toMatchObject({ runner: 'server' });
});

test('a process that does not see the end of its improvement is asked to end, and then ended', async () => {
  await using bench = await openBench();
  const ref = await bench.begin('m');
  const look = bench.look();
  await look();
  await stopImprovement({ store: bench.store, tenantId, ref, reason: 'asked for' });
  await look();
  expect(bench.killed).toEqual([]);
  bench.clock.at += 15_000;
  await look();
  expect(bench.killed).toEqual(['SIGTERM 1']);
  await look();
  expect(bench.killed).toHaveLength(1);
  bench.clock.at += 15_000;
  await look();
  expect(bench.killed).toEqual(['SIGTERM 1', 'SIGKILL 1']);
  bench.started[0]?.onExit({ code: null, signal: 'SIGKILL' });
  expect(await look()).toBe(false);
  expect(bench.started).toHaveLength(1);
});

test('a process whose improvement is open again is not ended for a time when it was not', async () => {
  await using bench = await openBench();
  const improvementId = await bench.begin('m');
  const [look, key] = [bench.look(), { store: bench.store, tenantId, improvementId }];
  await look();
  for (const runner of ['server-paused', 'server', 'server-paused'] as const) {
    await changeImprovementRunner({ ...key, runner });
    await look();
    bench.clock.at += 10_000;
  }
  await look();
  expect(bench.killed).toEqual([]);
});
