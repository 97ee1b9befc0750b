import { readdirSync, readFileSync } from 'node:fs';

export const ROLES = ['api', 'trainer', 'env'] as const;
export type Role = (typeof ROLES)[number];

export interface Counted {
  /** Pids of the stations by role, as the system knows them. */
  stations: Readonly<Record<Role, number[]>>;
  /** Everything that carries the id of the run, their children too. */
  all: number[];
}

/** Asks the system, not the server, what runs in the name of a run. */
export function countProcesses(run: string): Counted {
  const stations: Record<Role, number[]> = { api: [], trainer: [], env: [] };
  const all: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!variables.includes(`LACHESIS_RUN_ID=${run}`)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') continue;
      all.push(pid);
      const role = ROLES.find((known) => variables.includes(`LACHESIS_RUN_ROLE=${known}`));
      // What a supervisor starts leads a group; what that starts belongs to it.
      if (Number(group) === pid && role !== undefined) stations[role].push(pid);
    } catch {
      // Gone meanwhile, or another user's.
    }
  }
  return { stations, all };
}

export const isOneOfEach = ({ stations }: Counted): boolean =>
  Object.values(stations).every((pids) => pids.length === 1);

export const describeCounted = ({ stations, all }: Counted): string =>
  `${stations.api.length}/${stations.trainer.length}/${stations.env.length} stations, ${all.length} processes`;

/** What a show leaves behind when it fails: only processes that carry this run's id. */
export function killAll(run: string): void {
  for (const pid of countProcesses(run).all) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
