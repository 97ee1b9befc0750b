import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { findFreePort } from '../../../kit/find-free-port.ts';
import { findQuantile } from '../../../kit/quantiles.ts';
import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { ATTACKS, type AttackName } from '../cases/attacks.ts';
import type { Mutant, NeighbourOptions, NeighbourReady } from '../subject/neighbour-process.ts';

const ATTACKER = new URL('../subject/attack-worker.ts', import.meta.url);
const SUBJECT = fileURLToPath(new URL('../subject/neighbour-process.ts', import.meta.url));
const READY_MS = 60_000;
const MOST_MS = 500;
const HEALTH_P99_MS = 250;
/** How long the others are watched beside one attack. */
const ATTACK_MS = 4_000;
/** And at most, where an attack takes longer to be sent: one that has not arrived keeps nobody waiting. */
const MOST_ATTACK_MS = 30_000;
const PAUSE_MS = 10;
/** Long past the bar: a server that stands still need not be waited for. */
const PATIENCE_MS = 5_000;

/** Each with the attack that it lets through. */
const MUTANTS: Readonly<Record<Mutant, AttackName>> = {
  'announced length': 'sixteen idle senders of 64 MB',
  'parsing on the event loop': 'sixty megabytes of empty objects, four at once',
  'quadratic redaction': 'twenty thousand distinct keys in a message',
};

export const neighboursScenario: Scenario = {
  name: 'neighbours',
  title: 'requests of another tenant beside what one tenant can send at worst',
  async run(context) {
    const server = await start(context, 'none');
    const calm = await watch(server, undefined);
    context.log(
      `without an attack: slowest ${calm.slowest.toFixed(0)} ms, /health p99 ${calm.healthP99.toFixed(0)} ms`,
    );
    for (const attack of Object.keys(ATTACKS) as AttackName[]) {
      const seen = await watch(server, attack);
      context.report({
        name: `beside ${attack}`,
        figure: `${seen.asked} requests of another tenant, slowest ${seen.slowest.toFixed(0)} ms; /health p99 ${seen.healthP99.toFixed(0)} ms`,
        bar: `≤ ${MOST_MS} ms, p99 ≤ ${HEALTH_P99_MS} ms, beyond ${calm.slowest.toFixed(0)} and ${calm.healthP99.toFixed(0)} ms without it`,
        ok: isFair(seen, calm),
        onlyByClock: true,
      });
    }
    await server.end();
  },
};

export const neighbourMutantsScenario: Scenario = {
  name: 'neighbour-mutants',
  title: 'the same server with one careless part: the same attack is noticed',
  async run(context) {
    for (const [mutant, attack] of Object.entries(MUTANTS) as [Mutant, AttackName][]) {
      const server = await start(context, mutant);
      const calm = await watch(server, undefined);
      const seen = await watch(server, attack);
      await server.end();
      context.report({
        name: `mutant, ${mutant}`,
        figure: `slowest ${seen.slowest.toFixed(0)} ms, /health p99 ${seen.healthP99.toFixed(0)} ms`,
        bar: 'noticed',
        ok: !isFair(seen, calm),
      });
    }
  },
};

interface Seen {
  asked: number;
  slowest: number;
  healthP99: number;
}

/** A machine with other work to do is slow without an attack too. */
const isFair = ({ asked, slowest, healthP99 }: Seen, calm: Seen): boolean =>
  asked > 0 && slowest <= MOST_MS + calm.slowest && healthP99 <= HEALTH_P99_MS + calm.healthP99;

interface Running extends NeighbourReady {
  port: number;
  end(): Promise<void>;
}

async function start(context: ScenarioContext, mutant: Mutant | 'none'): Promise<Running> {
  const options: NeighbourOptions = { home: await context.scratch(), port: await findFreePort(), mutant };
  const said = Promise.withResolvers<string>();
  const running = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', SUBJECT, JSON.stringify(options)],
    name: `control server, ${mutant}`,
    env: { LACHESIS_TOKEN: undefined, DATABASE_URL: undefined },
    onLine: said.resolve,
  });
  const end = async (): Promise<void> => void (await running.stop());
  context.defer(end);
  const line = await Promise.race([said.promise, sleep(READY_MS, undefined, { ref: false })]);
  if (line === undefined) throw new Error(`the server (${mutant}) did not say that it listens`);
  return { ...(JSON.parse(line) as NeighbourReady), port: options.port, end };
}

/** Asks as another tenant, again and again, while the attack runs; undefined is none. */
async function watch({ port, attacker, neighbour }: Running, attack: AttackName | undefined): Promise<Seen> {
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${neighbour}` };
  const health: number[] = [];
  const own: number[] = [];
  const ask = async (times: number[], path: string, init: RequestInit = {}): Promise<void> => {
    const began = performance.now();
    try {
      const reply = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      await reply.arrayBuffer();
    } catch (error) {
      // Slower than anybody waits counts as that long.
      if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
    }
    times.push(performance.now() - began);
  };
  // Connections and code are there before it counts.
  for (let index = 0; index < 20; index += 1) await ask([], '/health');
  const attacking =
    attack === undefined ? undefined : new Worker(ATTACKER, { workerData: { attack, port, token: attacker } });
  const until = performance.now() + ATTACK_MS;
  const latest = performance.now() + MOST_ATTACK_MS;
  let isUnderWay = attacking !== undefined;
  attacking?.once('message', () => (isUnderWay = false));
  const loop = async (one: () => Promise<void>): Promise<void> => {
    // Nobody waits for longer than this: what there is to see has been seen.
    const isSeen = (): boolean => own.some((ms) => ms >= PATIENCE_MS);
    while (performance.now() < (isUnderWay && !isSeen() ? latest : until)) {
      await one();
      await sleep(PAUSE_MS);
    }
  };
  const rating = { method: 'POST', body: '{}', headers: { ...headers, 'content-type': 'application/json' } };
  await Promise.all([
    loop(() => ask(health, '/health')),
    loop(() => ask(own, '/v1/trajectories?limit=1', { headers })),
    loop(() => ask(own, '/v1/feedback', rating)),
  ]);
  await attacking?.terminate();
  return { asked: own.length, slowest: Math.max(...own), healthP99: findQuantile(health, 0.99) };
}
