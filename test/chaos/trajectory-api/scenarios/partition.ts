import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { createNetwork } from '../../../kit/create-network.ts';
import type { NetworkLink, PrivateNetwork } from '../../../kit/create-network.ts';
import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import type { Postgres } from '../../../peers/postgres/start-postgres.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { drain } from '../judge/drain.ts';
import { startNativeLoad, startPlainLoad } from '../load/start-load.ts';
import type { LoadOptions } from '../load/start-load.ts';
import { waitForMore } from '../load/wait-for-more.ts';
import { CLI, startSubject } from '../subject/start-subject.ts';
import { openPostgres } from './open-postgres.ts';

const DOWN_MS = 5_000;
/** After this long with the cable plugged in again, groups must be accepted as before. */
const CONVERGE_MS = 10_000;
/** The server's longest deadline for a request that cannot reach the database, and a second. */
const LONGEST_ANSWER_MS = 21_000;
const ACKNOWLEDGEMENTS = 50;

/** Two things that cannot reach each other for a while. */
interface Cut {
  readonly name: string;
  setUp(isUp: boolean): Promise<void>;
}

/** The server in a network of its own, with one cable to its clients and one to its database. */
export const partitionScenario: Scenario = {
  name: 'partition',
  title: 'a pulled cable to the database or to the clients is an error in time, and nothing is lost when it is back',
  async run(context) {
    const network = await tryNetwork(context);
    const [clients, database] = network?.links ?? [];
    if (network === undefined || clients === undefined || database === undefined) return cutWithoutNetwork(context);
    const postgres = await openPostgres(context, {
      settings: { listen_addresses: `127.0.0.1,${database.hostAddress}` },
    });
    await admit(postgres, database);
    const inside = new URL(postgres.url);
    inside.hostname = database.hostAddress;
    const token = await createToken(postgres.url);
    const subject = await startSubject({
      port: await findQuietPort(),
      home: await context.scratch(),
      host: clients.insideAddress,
      databaseUrl: inside.href,
      through: network.enter,
    });
    context.defer(() => subject.end());
    await cutEach(
      context,
      { host: clients.insideAddress, port: subject.port, headers: { authorization: `Bearer ${token}` } },
      [
        { name: 'partition from Postgres', setUp: (isUp) => database.setUp(isUp) },
        { name: 'partition from clients', setUp: (isUp) => clients.setUp(isUp) },
      ],
    );
  },
};

async function tryNetwork(context: ScenarioContext): Promise<PrivateNetwork | undefined> {
  try {
    const network = await createNetwork({ links: 2 });
    context.defer(() => network.remove());
    return network;
  } catch (error) {
    context.log(`no network namespace here: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Without a network to cut, a database that stands still: its sockets stay open and say nothing. */
async function cutWithoutNetwork(context: ScenarioContext): Promise<void> {
  const postgres = await openPostgres(context);
  const subject = await startSubject({
    port: await findQuietPort(),
    home: await context.scratch(),
    databaseUrl: postgres.url,
  });
  context.defer(() => subject.end());
  const setUp = async (isUp: boolean): Promise<void> => {
    for (const pid of readProcessTree(postgres.pid() ?? 0).pids) process.kill(pid, isUp ? 'SIGCONT' : 'SIGSTOP');
  };
  await cutEach(context, { port: subject.port }, [
    { name: 'Postgres stands still (no network namespace here)', setUp },
  ]);
}

async function cutEach(context: ScenarioContext, target: LoadOptions, cuts: readonly Cut[]): Promise<void> {
  const native = await startNativeLoad(target);
  const plain = await startPlainLoad(target);
  const loads = [native, plain];
  context.defer(() => loads.forEach((load) => load.abandon()));
  const outcomes: { cut: Cut; convergedMs: number; slowestMs: number; failures: string }[] = [];
  for (const cut of cuts) {
    await waitForMore(loads, ACKNOWLEDGEMENTS);
    for (const { client } of loads) {
      client.failures.clear();
      client.slowestMs = 0;
    }
    await cut.setUp(false);
    await sleep(DOWN_MS);
    await cut.setUp(true);
    const healedAt = performance.now();
    await waitForMore(loads, ACKNOWLEDGEMENTS);
    const convergedMs = performance.now() - healedAt;
    // What was under way during the cut has ended by now, or will not.
    await sleep(500);
    const failures = loads.map(({ name, client }) => `${name} ${JSON.stringify(Object.fromEntries(client.failures))}`);
    const slowestMs = Math.max(...loads.map(({ client }) => client.slowestMs));
    outcomes.push({ cut, convergedMs, slowestMs, failures: failures.join(', ') });
  }
  const ledgers = await Promise.all(loads.map((load) => drain(load)));
  const lost = loads.reduce((sum, { history }) => sum + history.lost, 0) - (ledgers[0]?.quarantined ?? 0);
  const isBooked = loads.every(({ history }, index) => {
    const ledger = ledgers[index];
    return ledger?.balanced === true && ledger.produced === history.acknowledged;
  });
  const hangs = loads.reduce((sum, { client }) => sum + client.hangs, 0);
  for (const { cut, convergedMs, slowestMs, failures } of outcomes) {
    context.log(`${cut.name}: failures met by clients: ${failures}`);
    context.report({
      name: cut.name,
      figure: `${DOWN_MS / 1000} s, accepting again ${Math.round(convergedMs)} ms after it healed, slowest answer ${Math.round(slowestMs)} ms, ${hangs} hangs`,
      bar: `≤ ${CONVERGE_MS} ms, ≤ ${LONGEST_ANSWER_MS} ms, 0 hangs`,
      ok: convergedMs <= CONVERGE_MS && slowestMs <= LONGEST_ANSWER_MS && hangs === 0,
      onlyByClock: hangs === 0,
    });
  }
  const acknowledged = loads.reduce((sum, { history }) => sum + history.acknowledged, 0);
  context.report({
    name: 'after the partitions',
    figure: `${acknowledged} acknowledged, ${lost} lost, ${native.history.twice} trained twice, ledger ${isBooked ? 'as acknowledged' : JSON.stringify(ledgers)}`,
    bar: '0 lost, 0 twice, ledger as acknowledged',
    ok: lost === 0 && native.history.twice === 0 && isBooked,
  });
}

/** Lets the namespace in; PostgreSQL reads the file again at SIGHUP. */
async function admit(postgres: Postgres, { insideAddress }: NetworkLink): Promise<void> {
  await appendFile(join(postgres.directory, 'data', 'pg_hba.conf'), `host all all ${insideAddress}/32 scram-sha-256\n`);
  const pid = postgres.pid();
  if (pid === undefined) throw new Error('PostgreSQL is not running');
  process.kill(pid, 'SIGHUP');
}

/** A server that others can reach refuses to start without one. */
async function createToken(databaseUrl: string): Promise<string> {
  const args = ['token', 'create', '--json', '--name', 'chaos', '--scope', 'env:push,trainer:pull,view'];
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  return (JSON.parse(stdout) as { token: string }).token;
}
