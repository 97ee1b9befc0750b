import { createIdSource, type RunRole, type Scope } from '@lachesis/protocol';
import {
  createTrainingRun,
  findToken,
  findTrainingRun,
  listRunProcesses,
  listTokens,
  openStore,
  readEventPage,
  reopenTrainingRun,
  requestRunStop,
  type Store,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessTable, SpawnOptions, TaggedProcess } from './process-table.ts';
import { findOtherHost } from './find-other-host.ts';
import { readTag } from './process-tag.ts';
import { DEFAULT_TIMES, type SupervisorDeps } from './deps.ts';
import { Supervisor } from './supervisor.ts';

interface FakeProcess extends TaggedProcess {
  onExit: SpawnOptions['onExit'];
  isStubborn: boolean;
}

/** Processes that live in a map. */
class FakeTable implements ProcessTable {
  readonly living = new Map<number, FakeProcess>();
  readonly log: string[] = [];
  readonly gone = new Set<string>();
  /** The variables that the last process of a role was started with. */
  readonly given = new Map<string, SpawnOptions['env']>();
  isStubborn = false;
  pids = 100;
  names = 0;

  host(): string {
    return 'here';
  }

  spawn({ env, onExit }: SpawnOptions): { pid: number } {
    const pid = (this.pids += 1);
    const tag = readTag(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .join('\0'),
    );
    if (tag === undefined) throw new Error('a process was started without its tag');
    this.living.set(pid, { pid, started: `s${pid}`, isLeader: true, tag, onExit, isStubborn: this.isStubborn });
    this.given.set(tag.role, env);
    this.log.push(`start ${tag.role}`);
    return { pid };
  }
  readStart(pid: number): string | undefined {
    return this.living.get(pid)?.started;
  }
  async list(): Promise<TaggedProcess[]> {
    return [...this.living.values()];
  }
  signal(pid: number, signal: 'SIGKILL' | 'SIGTERM'): boolean {
    const process = this.living.get(pid);
    if (process === undefined) return false;
    this.log.push(`${signal} ${process.tag.role}`);
    if (signal === 'SIGTERM' && process.isStubborn) return true;
    this.end(pid, null, signal);
    return true;
  }
  end(pid: number, code: number | null, signal: string | null = null): void {
    const process = this.living.get(pid);
    this.living.delete(pid);
    process?.onExit({ code, signal });
  }
  self(): string {
    return `fake/${(this.names += 1)}`;
  }
  isGone(name: string): boolean {
    return this.gone.has(name);
  }
  pidOf(role: RunRole): number {
    return [...this.living.values()].find(({ tag }) => tag.role === role)?.pid ?? 0;
  }
}

const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = { trainer: ['trainer:pull'], env: ['env:push'] };

interface Bench {
  store: Store;
  table: FakeTable;
  clock: { ms: number };
  trainer: { state: string; detail: string; step: number };
  /** Urls that do not answer. */
  down: Set<string>;
  runId: string;
  open(change?: Partial<SupervisorDeps>): Supervisor;
  look(): ReturnType<typeof findTrainingRun>;
  kinds(): Promise<string[]>;
  rounds(supervisor: Supervisor, count: number): Promise<void>;
}

async function createBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-supervisor-'));
  const store = await openStore({ sqlitePath: join(folder, 'db') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const [table, clock, ids] = [new FakeTable(), { ms: 0 }, createIdSource()];
  const [trainer, down] = [{ state: 'training', detail: '', step: 1 }, new Set<string>()];
  const place = { logPath: join(folder, 'x.log'), port: 1 };
  const { runId } = await createTrainingRun({
    ...{
      store,
      ids,
      tenantId: 't',
      environment: 'toy',
      config: {},
      details: () => ({}),
      nextShortId: () => 'abcdefgh',
    },
    processes: () => ({ api: place, trainer: place, env: place }),
  });
  const key = { store, tenantId: 't', runId };
  const plan = (role: string) => ({
    file: role,
    arguments: [],
    env: {},
    ...(role === 'api' ? {} : { identity: { scopes: SCOPES_OF[role] ?? [], variables: ['TOKEN', 'KEY'] } }),
    ...(role === 'env' ? {} : { readyUrl: `http://${role}/` }),
  });
  const deps: SupervisorDeps = {
    ...{
      store,
      table,
      ids,
      library: 'l',
      findOtherHost: () => undefined,
      monotonic: () => clock.ms,
      say: (message, facts) => {
        throw new Error(message, { cause: facts });
      },
    },
    plan: () => ({
      statusUrl: 'http://status/',
      processes: { api: plan('api'), trainer: plan('trainer'), env: { ...plan('env'), mayEnd: true } },
    }),
    preflight: async () => ({ passed: true }),
    fetch: async (url) => {
      if (typeof url === 'string' && down.has(url)) throw new TypeError('refused');
      return Response.json(trainer);
    },
    times: DEFAULT_TIMES,
  };
  const bench: Bench = {
    ...{ store, table, clock, trainer, down, runId },
    open: (change = {}) => new Supervisor({ ...deps, ...change }),
    look: () => findTrainingRun(key),
    kinds: async () => (await readEventPage(key)).map(({ kind }) => kind),
    async rounds(supervisor, count) {
      for (let round = 0; round < count; round++) {
        await supervisor.tick();
        clock.ms += 1_000;
      }
    },
  };
  return bench;
}

test('a run starts its processes in order, each when the one before answers, and completes in reverse', async () => {
  const bench = await createBench();
  bench.down.add('http://trainer/');
  const supervisor = bench.open();
  await bench.rounds(supervisor, 8);
  expect([(await bench.look())?.state, bench.table.log]).toEqual(['starting', ['start api', 'start trainer']]);
  bench.down.clear();
  await bench.rounds(supervisor, 4);
  expect([(await bench.look())?.state, bench.table.log.at(-1)]).toEqual(['running', 'start env']);
  bench.trainer.state = 'finished';
  await bench.rounds(supervisor, 6);
  expect(await bench.look()).toMatchObject({ state: 'completed', reason: 'finished at step 1', holder: null });
  expect(bench.table.log.slice(3)).toEqual(['SIGTERM env', 'SIGTERM trainer', 'SIGTERM api']);
  expect(bench.table.living.size).toBe(0);
  expect((await bench.kinds()).filter((kind) => kind.startsWith('run-'))).toEqual([
    ...['run-created', 'run-starting', 'run-running', 'run-stopping', 'run-completed'],
  ]);
});

test('a check that fails is the reason, and nothing is started', async () => {
  const bench = await createBench();
  const supervisor = bench.open({ preflight: async () => ({ passed: false, reason: 'no engine; start one' }) });
  await bench.rounds(supervisor, 6);
  expect(await bench.look()).toMatchObject({ state: 'failed', reason: 'no engine; start one' });
  expect(bench.table.log).toEqual([]);
});

test('the next supervisor adopts what lives, waits for the lease of one that may live, and not for one that is gone', async () => {
  const bench = await createBench();
  const first = bench.open();
  await bench.rounds(first, 10);
  const before = [...bench.table.living.keys()];
  const second = bench.open();
  await bench.rounds(second, 3);
  expect([second.heldRuns, (await bench.look())?.epoch]).toEqual([0, 1]);
  const holder = (await bench.look())?.holder ?? '';
  bench.table.gone.add(holder.slice(holder.indexOf('@') + 1));
  await bench.rounds(second, 3);
  expect([second.heldRuns, (await bench.look())?.epoch]).toEqual([1, 2]);
  // The first one finds out, and leaves its hands off.
  await bench.rounds(first, 6);
  expect(first.heldRuns).toBe(0);
  expect([...bench.table.living.keys()]).toEqual(before);
  await second.stop();
  expect(await bench.look()).toMatchObject({ state: 'running', holder: null });
  expect(bench.table.living.size).toBe(3);
});

test('a run that waits is left to the process that made it while that lives, and ended runs wait when reopened', async () => {
  const bench = await createBench();
  const { store, runId } = bench;
  const reopen = (starter: string) => reopenTrainingRun({ store, tenantId: 't', runId, details: { starter } });
  await reopen('somebody');
  const supervisor = bench.open();
  await bench.rounds(supervisor, 3);
  expect(await bench.look()).toMatchObject({ state: 'pending', holder: null });
  bench.table.gone.add('somebody');
  await bench.rounds(supervisor, 10);
  bench.trainer.state = 'finished';
  await bench.rounds(supervisor, 6);
  expect((await bench.look())?.state).toBe('completed');
  expect(await reopen('somebody')).toBe(true);
  expect(await bench.look()).toMatchObject({ state: 'pending', endedAt: null, outcome: null });
  bench.trainer.state = 'training';
  await bench.rounds(supervisor, 10);
  expect((await bench.look())?.state).toBe('running');
  expect((await bench.kinds()).filter((kind) => kind === 'run-resumed')).toHaveLength(1);
});

test('a run whose processes are on another machine is left alone, told once, and ended when somebody asks for it', async () => {
  const bench = await createBench();
  const there = bench.open({ table: Object.assign(Object.create(bench.table) as FakeTable, { host: () => 'there' }) });
  await bench.rounds(there, 10);
  const hosts = await bench.store.db.selectFrom('run_processes').select('host').execute();
  expect(hosts).toEqual([{ host: 'there' }, { host: 'there' }, { host: 'there' }]);
  // As after a crash of the machine or of its supervisor: the lease is over and nobody knows more.
  await bench.store.db.updateTable('leases').set({ holder: 'gone@there/1/x', lease_expires_at: 0 }).execute();
  const epoch = (await bench.look())?.epoch;
  const told: string[] = [];
  const here = bench.open({
    table: Object.assign(new FakeTable(), { names: 50 }),
    findOtherHost: (processes) => findOtherHost(processes, { host: 'here', dialect: 'postgres' }),
    say: (message) => void told.push(message),
  });
  await bench.rounds(here, 10);
  expect([here.heldRuns, (await bench.look())?.epoch]).toEqual([0, epoch]);
  expect(await bench.kinds()).not.toContain('process-died');
  expect(told).toEqual([expect.stringContaining('on another machine')]);
  await requestRunStop({ store: bench.store, tenantId: 't', runId: bench.runId, reason: 'asked' });
  await bench.rounds(here, 10);
  expect(await bench.look()).toMatchObject({ state: 'stopped' });
});

test('a process that was started in the moment of a crash is found by its tag', async () => {
  const bench = await createBench();
  const first = bench.open({
    say: () => undefined,
    table: Object.assign(Object.create(bench.table) as FakeTable, {
      // Behind the start and before its row.
      readStart: () => {
        throw new Error('died');
      },
    }),
  });
  await bench.rounds(first, 3);
  expect(bench.table.log).toEqual(['start api']);
  await first.stop();
  await bench.rounds(bench.open(), 10);
  expect(bench.table.log).toEqual(['start api', 'start trainer', 'start env']);
  expect(await bench.kinds()).toContain('process-adopted');
});

test('who was overtaken while starting a process ends it', async () => {
  const bench = await createBench();
  const spawn = bench.table.spawn.bind(bench.table);
  const first = bench.open({
    table: Object.assign(Object.create(bench.table) as FakeTable, {
      spawn: (options: SpawnOptions) => {
        const started = spawn(options);
        // As if somebody had waited until the lease was over.
        void bench.store.db.updateTable('leases').set({ epoch: 9, holder: 'other' }).execute();
        return started;
      },
    }),
  });
  await bench.rounds(first, 4);
  expect(bench.table.log).toEqual(['start api', 'SIGKILL api']);
  expect(first.heldRuns).toBe(0);
});

test('a process that dies is started again after a pause, and a fifth death fails the run with its reason', async () => {
  const bench = await createBench();
  const supervisor = bench.open();
  await bench.rounds(supervisor, 10);
  for (let death = 1; death <= 5; death++) {
    await expect.poll(() => bench.table.pidOf('trainer')).toBeGreaterThan(0);
    bench.table.end(bench.table.pidOf('trainer'), 1);
    await bench.rounds(supervisor, 2);
    // The pause is of the database's clock.
    await bench.store.db.updateTable('run_processes').set({ start_after: 0 }).execute();
    await bench.rounds(supervisor, 2);
  }
  await bench.rounds(supervisor, 5);
  const run = await bench.look();
  expect(run?.state).toBe('failed');
  expect(run?.reason).toContain('the trainer ended 5 times in 10 minutes (exit code 1)');
  expect(bench.table.living.size).toBe(0);
});

test('a process that is gone is not judged before the system has told how it ended', async () => {
  const bench = await createBench();
  const supervisor = bench.open();
  await bench.rounds(supervisor, 10);
  const pid = bench.table.pidOf('trainer');
  const { onExit } = bench.table.living.get(pid) as FakeProcess;
  bench.table.living.delete(pid);
  await bench.rounds(supervisor, 1);
  onExit({ code: 7, signal: null });
  await bench.rounds(supervisor, 2);
  const processes = await listRunProcesses({ store: bench.store, tenantId: 't', runId: bench.runId });
  expect(processes.find(({ role }) => role === 'trainer')).toMatchObject({ restarts: 1, reason: 'exit code 7' });
});

test('a program that cannot be started counts as one that died, and its reason is told', async () => {
  const bench = await createBench();
  const supervisor = bench.open({
    table: Object.assign(Object.create(bench.table) as FakeTable, {
      spawn: () => {
        throw new Error('no such folder');
      },
    }),
  });
  for (let death = 1; death <= 5; death++) {
    await bench.rounds(supervisor, 4);
    await bench.store.db.updateTable('run_processes').set({ start_after: 0 }).execute();
  }
  await bench.rounds(supervisor, 5);
  expect(await bench.look()).toMatchObject({ state: 'failed' });
  expect((await bench.look())?.reason).toContain('the trajectory API ended 5 times in 10 minutes (no such folder)');
});

test('a run whose ticks break again and again is failed with what broke', async () => {
  const bench = await createBench();
  const supervisor = bench.open({ say: () => undefined, plan: () => Promise.reject(new Error('the disk is full')) });
  await bench.rounds(supervisor, 10);
  expect((await bench.look())?.state).toBe('starting');
  await bench.rounds(supervisor, 60);
  expect(await bench.look()).toMatchObject({ state: 'failed' });
  expect((await bench.look())?.reason).toContain('the disk is full');
});

test('one that was stopped ends hard what does not end when asked, within 15 seconds', async () => {
  const bench = await createBench();
  bench.table.isStubborn = true;
  const supervisor = bench.open();
  await bench.rounds(supervisor, 10);
  await requestRunStop({ store: bench.store, tenantId: 't', runId: bench.runId, reason: 'x' });
  const start = bench.clock.ms;
  while ((await bench.look())?.state !== 'stopped') await bench.rounds(supervisor, 1);
  expect(bench.clock.ms - start).toBeLessThanOrEqual(17_000);
  expect(bench.table.log.slice(3)).toEqual(
    ['env', 'trainer', 'api'].flatMap((role) => [`SIGTERM ${role}`, `SIGKILL ${role}`]),
  );
});

test('an environment that has nothing more to do is left alone, until the trainer waits for it', async () => {
  const bench = await createBench();
  const supervisor = bench.open();
  await bench.rounds(supervisor, 10);
  bench.table.end(bench.table.pidOf('env'), 0);
  await bench.rounds(supervisor, 5);
  expect(
    (await listRunProcesses({ store: bench.store, tenantId: 't', runId: bench.runId })).find(
      ({ role }) => role === 'env',
    )?.state,
  ).toBe('ended');
  expect((await bench.look())?.state).toBe('running');
  bench.trainer.state = 'waiting';
  await bench.rounds(supervisor, 40);
  expect((await bench.look())?.reason).toContain('the environment has ended at step 1');
});

test('strays are ended: of a run that is unknown, and of an earlier start; those of another library are not', async () => {
  const bench = await createBench();
  const said: string[] = [];
  const supervisor = bench.open({ say: (message) => said.push(message) });
  await bench.rounds(supervisor, 10);
  const add = (pid: number, tag: Partial<TaggedProcess['tag']>): void => {
    const own = { library: 'l', tenantId: 't', runId: bench.runId, role: 'api', instanceId: 'old', ...tag } as const;
    bench.table.living.set(pid, {
      pid,
      started: 'x',
      isLeader: false,
      tag: own,
      onExit: () => undefined,
      isStubborn: false,
    });
  };
  add(1, {});
  add(2, { runId: 'unknown' });
  add(3, { library: 'other' });
  await bench.rounds(supervisor, 20);
  expect([1, 2, 3].map((pid) => bench.table.living.has(pid))).toEqual([false, false, true]);
  expect(bench.table.living.size).toBe(4);
  expect(said).toHaveLength(2);
});

test('keeps a run whose lease it took while it was reading the rows', async () => {
  const bench = await createBench();
  const { store } = bench;
  let isFirst = true;
  const supervisor: Supervisor = bench.open({
    store: {
      ...store,
      now: async () => {
        // The rows have been read, and before they are used another round has taken the lease.
        if (isFirst) {
          isFirst = false;
          await supervisor.tick();
        }
        return await store.now();
      },
    },
  });
  await bench.rounds(supervisor, 8);
  expect(await bench.look()).toMatchObject({ state: 'running', epoch: 1 });
});

test('each process proves itself with a token of its own, for its run, as long as it lives', async () => {
  const bench = await createBench();
  const { store, table } = bench;
  const supervisor = bench.open();
  await bench.rounds(supervisor, 10);
  const tokenOf = (role: RunRole): string => table.given.get(role)?.['TOKEN'] ?? '';
  const find = async (role: RunRole, token = tokenOf(role)) => await findToken({ store, token });
  expect(table.given.get('api')).not.toHaveProperty('TOKEN');
  expect(table.given.get('env')?.['KEY']).toBe(tokenOf('env'));
  const shared = { tenantId: 't', run: 'abcdefgh', kind: 'process' };
  expect(await find('env')).toMatchObject({ ...shared, scopes: ['env:push'] });
  expect(await find('trainer')).toMatchObject({ ...shared, scopes: ['trainer:pull'] });

  const [first, trainer] = [tokenOf('env'), tokenOf('trainer')];
  table.end(table.pidOf('env'), 1);
  await bench.rounds(supervisor, 1);
  expect([await find('env', first), await find('trainer', trainer)]).toMatchObject([undefined, shared]);
  await store.db.updateTable('run_processes').set({ start_after: 0 }).execute();
  await bench.rounds(supervisor, 3);
  expect(tokenOf('env')).not.toBe(first);
  expect(await find('env')).toMatchObject(shared);

  bench.trainer.state = 'finished';
  await bench.rounds(supervisor, 8);
  expect((await bench.look())?.state).toBe('completed');
  expect(await listTokens({ store, tenantId: 't' })).toEqual([]);
});

test('a token is renewed while its process lives, also by the next supervisor', async () => {
  const bench = await createBench();
  const { store } = bench;
  const first = bench.open();
  await bench.rounds(first, 10);
  const expiry = async (): Promise<number> =>
    Math.min(...(await listTokens({ store, tenantId: 't' })).map(({ expiresAt }) => Number(expiresAt)));
  const shorten = () => store.db.updateTable('tokens').set({ expires_at: 1 }).execute();
  const now = await store.now();
  expect(await expiry()).toBeGreaterThan(now + 3_500_000);
  await shorten();
  await bench.rounds(first, 3);
  expect(await expiry()).toBe(1);
  // The lease of a supervisor that slept is over; whoever comes next takes the run.
  await first.stop();
  const second = bench.open();
  await bench.rounds(second, 2);
  expect(await expiry()).toBeGreaterThan(now + 3_500_000);
  await shorten();
  for (let minute = 0; minute < 11; minute += 1) {
    bench.clock.ms += 9_000;
    await bench.rounds(second, 1);
  }
  expect(await expiry()).toBe(1);
  for (let look = 0; look < 60; look += 1) {
    bench.clock.ms += 9_000;
    await bench.rounds(second, 1);
  }
  expect(await expiry()).toBeGreaterThan(now + 3_500_000);
});

test('what goes wrong with others is said, and runs are looked after all the same', async () => {
  const bench = await createBench();
  const said: string[] = [];
  const supervisor = bench.open({
    others: () => Promise.reject(new Error('a plan that nobody can read')),
    say: (message) => void said.push(message),
  });
  await bench.rounds(supervisor, 10);
  expect(await bench.look()).toMatchObject({ state: 'running' });
  expect(said).toHaveLength(10);
  expect(new Set(said)).toEqual(new Set(['a round over the improvements failed; it is tried again']));
});
