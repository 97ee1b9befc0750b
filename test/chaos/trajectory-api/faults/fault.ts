import { setTimeout as sleep } from 'node:timers/promises';

import type { Postgres } from '../../../peers/postgres/start-postgres.ts';
import type { Subject, Victim } from '../subject/start-subject.ts';

export interface Fault {
  readonly kind: 'kill' | 'stop';
  readonly name: string;
  strike(): Promise<void>;
}

/** Most crashes are the serving process's own; a machine's or a container's takes both, and now and then only the parent goes. */
const VICTIMS: readonly Victim[] = ['child', 'tree', 'child', 'tree', 'child', 'tree', 'child', 'parent'];

/** How long the database stays away: a restart, and one that outlasts a few retries. */
const OUTAGES_MS = [0, 700];

/** Kills of the server with hard stops of its database spread evenly among them. */
export function planFaults(options: { subject: Subject; kills: number; stops: number; postgres?: Postgres }): Fault[] {
  const { subject, kills, stops, postgres } = options;
  const faults: Fault[] = Array.from({ length: kills }, (_, index) => {
    const victim = VICTIMS[index % VICTIMS.length] ?? 'child';
    return { kind: 'kill', name: victim, strike: () => subject.kill(victim) };
  });
  if (postgres === undefined) return faults;
  for (let index = 0; index < stops; index += 1) {
    const place = Math.floor(((index + 1) * kills) / stops) + index;
    const outageMs = OUTAGES_MS[index % OUTAGES_MS.length] ?? 0;
    // The longer ones also take the serving process, so that it has to start without a database.
    const strike = (): Promise<void> => stopHard(postgres, outageMs, outageMs === 0 ? undefined : subject);
    faults.splice(place, 0, { kind: 'stop', name: `postgres away ${outageMs} ms`, strike });
  }
  return faults;
}

async function stopHard(postgres: Postgres, outageMs: number, subject: Subject | undefined): Promise<void> {
  await postgres.stop('immediate');
  await subject?.kill('child');
  await sleep(outageMs);
  await postgres.start();
}
