import { setTimeout as sleep } from 'node:timers/promises';

import { planFaults, type Fault } from '../../trajectory-api/faults/fault.ts';
import type { Fleet } from '../subject/start-fleet.ts';
import type { Outages } from './outages.ts';

export interface PartFaultPlan {
  /** Of the APIs. */
  readonly kills: number;
  /** Of the database: its primary is gone for good, and its standby promoted. */
  readonly failovers: number;
  /** Rounds of everything else: the S3 server, the pooler, the balancer, and a restart of one API after the other. */
  readonly rounds: number;
}

/** So long the S3 server stands still with puts in its hands before it is killed. */
const FROZEN_MS = 60;

/** Kills of each part, the rarer ones spread evenly among those of the APIs. */
export function planPartFaults(fleet: Fleet, outages: Outages, plan: PartFaultPlan): Fault[] {
  const { replicas, s3, pgbouncer, postgres, haproxy } = fleet;
  const rare = (name: string, strike: () => Promise<void>): Fault => ({ kind: 'stop', name, strike });
  const round = [
    rare('S3 server killed in the middle of puts', async () => {
      await outages.during(async () => {
        s3.freeze();
        await sleep(FROZEN_MS);
        await s3.kill();
        await s3.start();
      });
    }),
    rare('HAProxy reloaded', () => haproxy.reload()),
    rare('APIs restarted in turn', () => replicas.restartAll()),
    rare('PgBouncer killed', () =>
      outages.during(async () => {
        await pgbouncer.kill();
        await pgbouncer.start();
      }),
    ),
  ];
  const failOver = rare('database failed over', async () => {
    await outages.during(async () => pgbouncer.follow(await postgres.failOver()));
    await postgres.mend();
  });
  const rares = [
    ...Array.from({ length: plan.rounds }, () => round).flat(),
    ...Array.from({ length: plan.failovers }, () => failOver),
  ];
  return spread(planFaults({ subject: replicas, kills: plan.kills, stops: 0 }), rares);
}

/** The rare ones in an order that mixes them, at even distances among the others. */
function spread(often: readonly Fault[], rare: readonly Fault[]): Fault[] {
  const faults = [...often];
  for (const [index, fault] of rare.entries()) {
    faults.splice(Math.floor(((index + 1) * often.length) / (rare.length + 1)) + index, 0, fault);
  }
  return faults;
}
