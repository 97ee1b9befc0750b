import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { countLeftovers, findLeftovers } from '../judge/find-leftovers.ts';
import type { Leftovers } from '../judge/find-leftovers.ts';

const ROUNDS = 10;
const FULL_ROUNDS = 50;
const DEADLINE_MS = 30_000;
const SLOW_MS = 5_000;
/** How long processes are watched before somebody comes and clears away. */
const ALONE_MS = 2_000;
const SUBJECT = join(import.meta.dirname, '../subject/owner-process.ts');

interface Killed {
  /** Processes that ran when the owner was killed. */
  readonly before: number;
  /** Processes that did not end by themselves: bubblewrap, killed between its two halves. */
  readonly stuck: number;
  /** How long processes stayed, nobody helping. */
  readonly processesMs: number;
  /** How long it took until nothing at all was left, once another process made a sandbox. */
  readonly allMs: number;
  readonly left: Leftovers;
}

/** The process that owns sandboxes dies without a word, in the middle of their work. */
export const killScenario: Scenario = {
  name: 'kills',
  title: 'SIGKILL of a process that owns sandboxes leaves no process, mount or control group behind',
  async run(context) {
    const rounds = context.full ? FULL_ROUNDS : ROUNDS;
    const killed: Killed[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await killOwner({ context, isMutant: false, waitMs: DEADLINE_MS });
      killed.push(one);
      if (countLeftovers(one.left) > 0) context.log(`round ${round + 1}: ${JSON.stringify(one.left)}`);
      else if (one.allMs > SLOW_MS) context.log(`round ${round + 1} took ${one.allMs.toFixed(0)} ms`);
    }
    const left = killed.filter((each) => countLeftovers(each.left) > 0);
    const worst = (pick: (each: Killed) => number): string => `${Math.max(...killed.map(pick)).toFixed(0)} ms`;
    context.report({
      name: 'kills of the owner',
      figure: `${left.length} of ${rounds} left something (${killed.reduce((sum, each) => sum + each.before, 0)} processes were running); in ${killed.filter((each) => each.stuck > 0).length} a half-started bubblewrap waited for the reaper; nothing left after ≤ ${worst((each) => each.allMs)}`,
      bar: `0 of ${rounds} after 30 s`,
      ok: left.length === 0 && killed.every((each) => each.before >= 9),
    });
  },
};

export const mutantScenario: Scenario = {
  name: 'mutant',
  title: 'sandboxes without a dead man’s switch and without a reaper are found',
  async run(context) {
    const { left } = await killOwner({ context, isMutant: true, waitMs: 3_000 });
    context.report({
      name: 'mutant no die-with-parent and no reaper',
      figure: `${left.processes.length} processes and ${left.groups.length} groups left`,
      bar: 'some of both, and none once it is reaped',
      ok: left.processes.length > 0 && left.groups.length > 0,
    });
  },
};

interface KillOptions {
  readonly context: ScenarioContext;
  readonly isMutant: boolean;
  readonly waitMs: number;
}

async function killOwner({ context, isMutant, waitMs }: KillOptions): Promise<Killed> {
  const owner = `chaos-leak-${randomBytes(6).toString('hex')}`;
  const reaper = createNamespaceProvider();
  // Whatever the verdict, nothing of this round stays on the machine.
  context.defer(async () => {
    await reaper.reap(owner);
    await reaper.close();
  });
  const ready = Promise.withResolvers<void>();
  const subject = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', SUBJECT, owner, isMutant ? 'mutant' : 'itself'],
    name: 'the owner',
    onLine: (line) => line === 'ready' && ready.resolve(),
  });
  context.defer(async () => subject[Symbol.asyncDispose]());
  await Promise.race([
    ready.promise,
    subject.exited.then(() => Promise.reject(new Error(`the owner ended: ${subject.logs()}`))),
    sleep(DEADLINE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('the owner was not ready'))),
  ]);
  await sleep(randomInt(120));
  const before = findLeftovers(owner).processes.length;
  subject.signal('SIGKILL');
  await subject.exited;
  const started = performance.now();
  await waitUntil(() => findLeftovers(owner).processes.length === 0, ALONE_MS);
  const processesMs = performance.now() - started;
  const stuck = findLeftovers(owner).processes.length;
  // Another owner: whoever comes next on the machine clears away.
  if (!isMutant) await (await reaper.create({ owner: 'chaos-leak-next' })).destroy();
  await waitUntil(() => countLeftovers(findLeftovers(owner)) === 0, Math.max(0, waitMs - processesMs));
  return { before, stuck, processesMs, allMs: performance.now() - started, left: findLeftovers(owner) };
}

async function waitUntil(isTrue: () => boolean, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!isTrue() && performance.now() < deadline) await sleep(20);
}
