import { setTimeout as sleep } from 'node:timers/promises';

import { listRunPaths } from './engine-paths.ts';
import { readEngineState, removeEngineState } from './engine-state.ts';
import { listProcesses, type ProcessFacts } from './list-processes.ts';

/** The API gives its engine five seconds to end. */
const GRACE_MS = 10_000;
const ASK_EVERY_MS = 50;

export interface StopEngineOptions {
  readonly home: string;
  readonly runDirectory?: string | undefined;
  readonly graceMs?: number;
}

/** Ends the engine of this folder and nothing else; says whether there was one. Safe to call twice and at once. */
export async function stopEngine(options: StopEngineOptions): Promise<boolean> {
  const paths = listRunPaths(options.home, options.runDirectory);
  const state = await readEngineState(paths.state);
  const found = await listEngineProcesses(paths.databaseUrl);
  if (found.length > 0) await endGroups(paths.databaseUrl, found, options.graceMs ?? GRACE_MS);
  if (state !== undefined) await removeEngineState(paths.state, state.life);
  return found.length > 0;
}

/** Processes of the group that the engine of this database was started as. */
export async function listEngineProcesses(databaseUrl: string): Promise<ProcessFacts[]> {
  const all = await listProcesses();
  const groups = new Set(
    all.filter(({ command }) => command.includes(`--database-url ${databaseUrl} `)).map(({ group }) => group),
  );
  return all.filter(({ group }) => groups.has(group));
}

async function endGroups(databaseUrl: string, found: readonly ProcessFacts[], graceMs: number): Promise<void> {
  const groups = [...new Set(found.map(({ group }) => group))];
  // Asked from the top, the API ends its engine itself; a group whose leader is gone is asked as a whole.
  for (const group of groups) sendSignal(found.some(({ pid }) => pid === group) ? group : -group, 'SIGTERM');
  const startedAt = performance.now();
  while ((await listEngineProcesses(databaseUrl)).length > 0) {
    if (performance.now() - startedAt > graceMs) for (const group of groups) sendSignal(-group, 'SIGKILL');
    await sleep(ASK_EVERY_MS);
  }
}

function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    // It ended by itself a moment ago.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
