import { createToken, openHome } from '@lachesis/store';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { readProcessTree } from '../../kit/read-process-tree.ts';
import { startControlServer, type ControlServer } from '../../kit/start-control-server.ts';
import { writeBegin, type ImproveHomeOptions, type ImproveReport } from './improve-home.ts';
import { MODEL } from './prepare-home.ts';
import { runLachesis } from './run-lachesis.ts';

/** Behind the first state of the training that is kept, so that there is something to go on from. */
const KILLED_AFTER_STEPS = 5;
/** From the end of an improvement to the end of its process, which looks every second. */
const GONE_MS = 15_000;

export interface ServedImprovement {
  /** What calls without a token, and with one that may only look, were answered. */
  readonly refused: readonly number[];
  readonly report: ImproveReport;
  /** Of the engine, until its end. */
  readonly steps: number;
  /** What `improve show` says of the same one. */
  readonly shown: ImproveReport;
  /** Processes of the improvement that were killed together with the server. */
  readonly killed: number;
  /** How the second one ended: to who stopped it, and to who followed it. */
  readonly stopped: readonly (string | null)[];
  /** Processes that a server has when nothing is left to do. */
  readonly left: number;
}

/**
 * `lachesis improve --server` on a server that asks for tokens. Server and process are killed with -9 in the training, a new
 * server goes on; a second improvement is stopped in its training.
 */
export async function improveServed(
  options: Omit<ImproveHomeOptions, 'kills'> & { countSteps: () => number },
): Promise<ServedImprovement> {
  const { home, engineUrl, training, countSteps, log } = options;
  const tokens = await makeTokens(home);
  const env = { TINKER_BASE_URL: engineUrl, TINKER_API_KEY: 'tml-none' };
  const start = (port?: number) => startControlServer({ home, env, ...(port === undefined ? {} : { port }) });
  const ask = async (server: ControlServer, args: readonly string[]): Promise<ImproveReport> => {
    const place = ['--server', server.url, '--token', tokens.trainer, '--json'];
    const run = { home, engineUrl, args: [...args, ...place], codes: [0, 1] };
    const { stdout } = await runLachesis({ ...run, onLine: (line) => log(`  ${line}`) });
    return (stdout === '' ? {} : JSON.parse(stdout)) as ImproveReport;
  };

  const first = await start();
  const port = Number(new URL(first.url).port);
  const refused = [await tryStart(first.url), await tryStart(first.url, tokens.viewer)];
  const followed = ask(first, await writeBegin({ home, training }));
  await untilSteps(countSteps, KILLED_AFTER_STEPS, followed);
  const { pids } = readProcessTree(first.process.pid);
  const killed = listImproving(first.process.pid).length;
  // All at once, as when a machine goes: the server is a process below the one that was started.
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await first.process.stop();

  // At the same address: who follows waits for it, and it goes on by itself.
  await using server = disposable(await start(port));
  const report = await followed;
  const steps = countSteps();
  const shown = await ask(server, ['improve', 'show', report.improvement_id]);

  // What was learnt from once is no new rating, unless it is said.
  const following = ask(server, await writeBegin({ home, training, isAgain: true }));
  await untilSteps(countSteps, steps + 1, following);
  const stopped = await ask(server, ['improve', 'stop', MODEL]);
  return {
    ...{ refused, report, steps, shown, killed, stopped: [stopped.outcome, (await following).outcome] },
    left: await countLeft(server.process.pid),
  };
}

const disposable = (server: ControlServer): ControlServer & AsyncDisposable => ({
  ...server,
  [Symbol.asyncDispose]: async () => void (await server.process.stop()),
});

async function makeTokens(home: string): Promise<{ trainer: string; viewer: string }> {
  await using library = await openHome({ home });
  const make = async (name: string, scope: 'run:admin' | 'view'): Promise<string> =>
    (await createToken({ store: library.store, tenantId: 'local', name, scopes: [scope] })).token;
  return { trainer: await make('trainer', 'run:admin'), viewer: await make('viewer', 'view') };
}

/** Waits for optimiser steps at the engine, or for the end of what is followed. */
async function untilSteps(countSteps: () => number, wanted: number, following: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = (): boolean => (isOver = true);
  following.then(over, over);
  while (!isOver && countSteps() < wanted) await sleep(100);
}

/** Gives the status. */
async function tryStart(url: string, token?: string): Promise<number> {
  const reply = await fetch(`${url}/improvements`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ model: MODEL }),
  });
  await reply.body?.cancel();
  return reply.status;
}

async function countLeft(pid: number): Promise<number> {
  const deadline = performance.now() + GONE_MS;
  while (listImproving(pid).length > 0 && performance.now() < deadline) await sleep(100);
  return listImproving(pid).length;
}

/** Processes below this one that bring an improvement on; a server has others of its own. */
const listImproving = (root: number): number[] =>
  readProcessTree(root).pids.filter((pid) => readCommand(pid).join(' ').includes('improve resume'));

function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It ended between being listed and being read.
    return [];
  }
}
