import { createIdSource } from '@lachesis/protocol';
import {
  acquireImprovement,
  acquireLease,
  acquireRunLease,
  advanceImprovement,
  createTrainingRun,
  fence,
  findImprovement,
  autoRenew,
  LeaseLostError,
  listRunProcesses,
  noteRunEvent,
  openStepLedger,
  startImprovement,
  writeRunProcess,
  writeSettings,
  type BlobStore,
  type Lease,
  type Store,
} from '@lachesis/store';
import { acquireWork, renewWork } from '../../../../packages/store/src/work/lease-work.ts';
import { createWorkJob } from '../../../../packages/store/src/work/create-work-job.ts';
import { recordWorkTurn } from '../../../../packages/store/src/work/write-work.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export const TENANT = 'local';

/** What is held, made once before the holders start. */
export interface Things {
  runId: string;
  improvementId: string;
  training: string;
  job: string;
}

export interface Asking {
  store: Store;
  blobs: BlobStore;
  things: Things;
  holder: string;
  seconds: number;
}

/** The right to write, in one of its epochs. */
export interface Held {
  epoch: number;
  /** The row that has the epoch in force, as SQL: what the judge compares with. */
  current: string;
  /** Renews until it is disposed of, as a holder of the product does. */
  renew(store: Store): AsyncDisposable;
  /** One write of the product. A LeaseLostError when it is refused. */
  write(store: Store, count: number): Promise<void>;
}

export interface LeaseUser {
  name: string;
  /** Undefined when somebody has it. */
  acquire(asking: Asking): Promise<Held | undefined>;
}

export async function createThings({ store, blobs }: Pick<Asking, 'blobs' | 'store'>): Promise<Things> {
  const place = { logPath: '/dev/null', port: null };
  const { runId } = await createTrainingRun({
    ...{ store, tenantId: TENANT, environment: 'toy', config: {}, details: () => ({}) },
    processes: () => ({ api: place, trainer: place, env: place }),
    nextShortId: () => 'leasedxx',
  });
  const begin = { store, tenantId: TENANT, model: 'm', plan: {}, stage: 'stage 0' };
  const { improvement } = await startImprovement(begin);
  const job = 'job';
  await createWorkJob({ store, blobs, tenantId: TENANT, name: job, settings: {}, inputs: [{ prompt: 'one' }] });
  return { runId, improvementId: improvement.improvementId, training: 'trained', job };
}

function withLease({ seconds }: Asking, lease: Lease, write: (store: Store, count: number) => Promise<void>): Held {
  return {
    epoch: lease.epoch,
    current: `select epoch from leases where kind = '${lease.kind}' and resource = '${lease.resource}'`,
    renew: (store) => autoRenew({ store, lease, seconds }),
    write,
  };
}

const supervision: LeaseUser = {
  name: 'supervision',
  async acquire(asking) {
    const { runId } = asking.things;
    const held = await acquireRunLease({ ...asking, tenantId: TENANT, runId });
    if (held === undefined) return undefined;
    const { lease } = held;
    return withLease(asking, lease, async (store, count) => {
      if (count % 2 === 0) return await noteRunEvent({ store, lease, kind: 'note', data: { count } });
      const [process] = await listRunProcesses({ store, tenantId: TENANT, runId });
      if (process === undefined) throw new Error('the run has no processes');
      await writeRunProcess({ store, lease, process: { ...process, restarts: count } });
    });
  },
};

const recordTraining: LeaseUser = {
  name: 'record training',
  async acquire(asking) {
    const { training: runId } = asking.things;
    const lease = await acquireLease({ ...asking, tenantId: TENANT, kind: 'record-training', resource: runId });
    if ('heldBy' in lease) return undefined;
    return withLease(asking, lease, async (store, count) => {
      // As trainOnRecords has it: everything writes to the store behind the fence.
      const scope = { store: fence({ store, lease }), tenantId: TENANT };
      if (count % 2 === 0) {
        const settings = [{ name: 'metrics', value: { count }, origin: 'trainer' }];
        return await writeSettings({ ...scope, scope: `record-training:${runId}`, settings });
      }
      const ledger = openStepLedger({ ...scope, runId, incarnationId: runId, ids: createIdSource() });
      const step = (await ledger.lastStep()) + 1;
      await ledger.open({ step, batchId: `rows ${step}`, epoch: lease.epoch, groupCount: 1 });
    });
  },
};

const improvement: LeaseUser = {
  name: 'improvement',
  async acquire(asking) {
    const { improvementId } = asking.things;
    const held = await acquireImprovement({ ...asking, tenantId: TENANT, improvementId });
    if (held === undefined) return undefined;
    const { lease } = held;
    return withLease(asking, lease, async (store) => {
      const known = await findImprovement({ store, tenantId: TENANT, ref: improvementId });
      if (known === undefined) throw new Error('the improvement is gone');
      const to = { stage: `stage ${known.stages.length + 1}` };
      await advanceImprovement({ store, lease, from: known.stage, content: { epoch: lease.epoch }, to });
    });
  },
};

const jobs: LeaseUser = {
  name: 'jobs',
  async acquire({ store, blobs, things, holder, seconds: leaseSeconds }) {
    const place = { blobs, tenantId: TENANT, name: things.job };
    const [item] = await acquireWork({ store, ...place, holder, leaseSeconds, count: 1 });
    if (item === undefined) return undefined;
    return {
      epoch: item.epoch,
      current: `select epoch from work_items where name = '${things.job}' and item_index = ${item.index}`,
      renew(on) {
        const done = new AbortController();
        const renewing = (async () => {
          while (!done.signal.aborted) {
            await renewWork({ store: on, ...place, holder, leaseSeconds }).catch(() => undefined);
            await sleep((leaseSeconds * 1000) / 4, undefined, { signal: done.signal }).catch(() => undefined);
          }
        })();
        return {
          async [Symbol.asyncDispose]() {
            done.abort();
            await renewing;
          },
        };
      },
      async write(on) {
        const { rows } = await on.db.executeQuery<{ turns: number }>(
          on.db
            .selectFrom('work_turns')
            .select((eb) => eb.fn.countAll<number>().as('turns'))
            .where('name', '=', things.job)
            .compile(),
        );
        const turnIndex = rows[0]?.turns ?? 0;
        await recordWorkTurn({ store: on, ...place, item, turnIndex, turn: { turnIndex }, cost: 1, leaseSeconds });
      },
    };
  },
};

export const LEASE_USERS: readonly LeaseUser[] = [supervision, recordTraining, improvement, jobs];

export const isLost = (error: unknown): boolean => LeaseLostError.isInstance(error);
