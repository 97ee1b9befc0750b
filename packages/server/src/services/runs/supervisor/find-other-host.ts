import type { RunProcessRecord, Store } from '@lachesis/store';

/** Places in which a process may be alive. */
const LIVE_STATES: ReadonlySet<string> = new Set(['starting', 'running', 'stopping']);

/**
 * Another machine that a process of a run was started on and has not been seen to end. Whether it lives can be asked
 * there only: who takes it for dead from here starts a second one beside it. A SQLite file is one machine's, whatever
 * that machine is called today.
 */
export function findOtherHost(
  processes: readonly Pick<RunProcessRecord, 'host' | 'instanceId' | 'state'>[],
  { host, dialect }: { host: string; dialect: Store['dialect'] },
): string | undefined {
  if (dialect === 'sqlite') return undefined;
  const other = processes.find(
    (process) =>
      process.host !== null && process.host !== host && (process.instanceId !== null || LIVE_STATES.has(process.state)),
  );
  return other?.host ?? undefined;
}
