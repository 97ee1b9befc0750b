import { StoreConflictError } from '../../../packages/store/src/index.ts';
import {
  acceptGroups,
  confirmReceipt,
  expireReceipts,
  loseReceipt,
  type AcceptedGroup,
  type IncomingGroup,
} from '../../../packages/server/src/trajectory-api/queue/accept-groups.ts';
import {
  registerEnvironment,
  setEnvironmentConnected,
  type EnvironmentRegistration,
} from '../../../packages/server/src/trajectory-api/queue/environments.ts';
import {
  expireLeases,
  findHeldBatch,
  finishBatch,
  rejectBatch,
  renewLease,
  returnBatch,
} from '../../../packages/server/src/trajectory-api/queue/hand-out-batch.ts';
import { registerTrainer } from '../../../packages/server/src/trajectory-api/queue/register-trainer.ts';
import { resetRun } from '../../../packages/server/src/trajectory-api/queue/reset-run.ts';
import { RunDirectory, type OpenRun } from '../../../packages/server/src/trajectory-api/run-directory.ts';
import { handOutChecked } from './naive-hand-out.ts';
import { makeRules, type SimulationParts } from './parts.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import type { World } from './world.ts';

export interface Claim {
  readonly batchId: string;
  readonly epoch: number;
  readonly groupIds: readonly string[];
}

export interface ServerOptions {
  world: World;
  database: SimulatedDatabase;
  parts: SimulationParts;
  /** Stays the same when the process is started again. */
  instanceId: string;
  deviates: boolean;
  isShared: boolean;
}

const SENDING_LEASE_MS = 120_000;
const render = (accepted: readonly AcceptedGroup[]): string => accepted.map((group) => group.status).join();

/** One process of the trajectory API: the real queue behind routes that do what the real routes do. */
export class SimulatedServer {
  readonly instanceId: string;
  readonly run: OpenRun;
  isDead = false;
  readonly #options: ServerOptions;
  readonly #calls = new Set<(error: Error) => void>();

  constructor(options: ServerOptions) {
    const { world, database, parts, instanceId, deviates, isShared } = options;
    this.#options = options;
    this.instanceId = instanceId;
    const startedAt = world.now - world.random.below(10_000);
    const monotonic = (): number => world.now - startedAt;
    this.run = new RunDirectory({
      persistence: database.createPersistence(this, isShared),
      clock: parts.createClock(world, monotonic),
      rules: makeRules(parts, deviates),
      nextId: () => world.nextId(),
      instanceId,
      monotonic,
      pause: (ms) => this.#pause(ms),
      random: () => world.random.next(),
    }).open('tenant', 'run');
  }

  /** The process is gone: its clients are cut off, and nothing it waits for comes back. */
  die(): void {
    this.isDead = true;
    for (const cut of this.#calls) cut(new Error('the connection was reset'));
    this.#calls.clear();
  }

  register(batchSize: number): Promise<unknown> {
    return this.#serve(() =>
      this.run.queue.execute((transaction) =>
        registerTrainer(transaction, {
          wandbGroup: '',
          wandbProject: '',
          batchSize,
          maxTokenLen: 64,
          checkpointDir: '',
          saveCheckpointInterval: 1,
          startingStep: 0,
          numSteps: 100,
          maxStaleness: null,
        }),
      ),
    );
  }

  registerEnvironment(request: EnvironmentRegistration): Promise<number | null> {
    return this.#serve(() =>
      this.run.queue.execute((transaction) => {
        const result = registerEnvironment(transaction, request);
        return result.kind === 'wait' ? null : result.environment.ordinal;
      }),
    );
  }

  setConnected(ordinal: number, connected: boolean): Promise<void> {
    return this.#serve(() =>
      this.run.queue.execute((transaction) => {
        const environment = transaction.state.environments[ordinal];
        if (environment !== undefined)
          setEnvironmentConnected(transaction, environment, { connected, reason: 'simulated' });
      }),
    );
  }

  /** POST /scored_data: acknowledged when the reply reached the client. */
  pushPlain(bodyDigest: string, groups: readonly IncomingGroup[]): Promise<void> {
    return this.#serve(async () => {
      const { queue, answering } = this.run;
      let receiptId = this.#options.world.nextId();
      answering.add(receiptId);
      try {
        const result = await queue.execute((transaction) =>
          acceptGroups(transaction, {
            api: 'atropos',
            groups,
            bodyDigest,
            idempotencyKey: null,
            receiptId,
            renderReply: render,
          }),
        );
        answering.delete(receiptId);
        receiptId = result.receiptId ?? receiptId;
        answering.add(receiptId);
      } catch (error) {
        answering.delete(receiptId);
        throw error;
      }
      const isFlushed = await this.#flush();
      queue.defer((transaction) => {
        if (isFlushed) confirmReceipt(transaction, receiptId);
        else loseReceipt(transaction, receiptId);
        answering.delete(receiptId);
      });
      if (!isFlushed) throw new Error('the reply got lost');
    });
  }

  /** POST /v1/groups. */
  pushNative(key: string, group: IncomingGroup): Promise<void> {
    return this.#serve(async () => {
      const { remembersIdempotencyKeys: keepsIdempotencyKeys } = this.#options.parts;
      const find = () => this.#read((database) => database.idempotency.has(`${this.#runId()}/${key}`));
      if (!keepsIdempotencyKeys || !(await find())) {
        const idempotencyKey = keepsIdempotencyKeys ? key : null;
        const request = {
          api: 'native',
          groups: [group],
          bodyDigest: group.payloadDigest,
          idempotencyKey,
          receiptId: null,
          renderReply: render,
        } as const;
        try {
          await this.run.queue.execute((transaction) => acceptGroups(transaction, request));
        } catch (error) {
          if (!StoreConflictError.isInstance(error) || !(await find())) throw error;
        }
      }
      if (!(await this.#flush())) throw new Error('the reply got lost');
    });
  }

  /** GET /batch; `receive` is called when the whole reply has reached the trainer. */
  sendBatch(receive: (claim: Claim) => void): Promise<void> {
    return this.#serve(async () => {
      const claim = await this.#take('sending', this.instanceId, SENDING_LEASE_MS);
      if (claim === null) return;
      if (!(await this.#flush())) {
        await this.run.queue.execute((transaction) =>
          returnBatch(transaction, { ...claim, reason: 'reply-not-flushed' }),
        );
        return;
      }
      receive(claim);
      await this.run.queue.execute((transaction) => finishBatch(transaction, { ...claim, fate: 'delivered' }));
    });
  }

  /** POST /v1/batches. */
  lease(consumer: string, leaseMs: number): Promise<Claim | null> {
    return this.#serve(async () => {
      const claim = await this.#take('leased', consumer, leaseMs);
      if (!(await this.#flush())) throw new Error('the reply got lost');
      return claim;
    });
  }

  renew(claim: Claim, leaseMs: number): Promise<boolean> {
    return this.#serve(async () => {
      const answer = await this.run.queue.execute((transaction) => renewLease(transaction, { ...claim, leaseMs }));
      if (!(await this.#flush())) throw new Error('the reply got lost');
      return answer.kind === 'held';
    });
  }

  /** GET /v1/batches/:batch/groups: whether the caller is told that the batch is its own. */
  readBatch(claim: Claim): Promise<boolean> {
    return this.#serve(async () => {
      const held = await this.run.queue.execute((transaction) =>
        findHeldBatch(transaction, claim.batchId, claim.epoch),
      );
      if (!(await this.#flush())) throw new Error('the reply got lost');
      return held !== undefined;
    });
  }

  /** POST /v1/batches/:batch/ack: true when the caller is told that it counts. */
  ack(claim: Claim): Promise<boolean> {
    return this.#serve(async () => {
      const answer = await this.run.queue.execute((transaction) =>
        finishBatch(transaction, { ...claim, fate: 'trained' }),
      );
      let isTrained = answer.kind === 'held';
      if (!isTrained) {
        const settled = await this.#read((database) => database.settled.get(claim.batchId));
        isTrained = settled?.fate === 'trained' && settled.epoch === claim.epoch;
      }
      if (!(await this.#flush())) throw new Error('the reply got lost');
      return isTrained;
    });
  }

  nack(claim: Claim, groupIds: readonly string[]): Promise<unknown> {
    return this.#serve(async () => {
      await this.run.queue.execute((transaction) =>
        rejectBatch(transaction, { ...claim, reason: 'simulated', groupIds }),
      );
      if (!(await this.#flush())) throw new Error('the reply got lost');
    });
  }

  reset(): Promise<void> {
    return this.#serve(() =>
      this.run.queue.execute((transaction) => resetRun(transaction, 'reset'), { isExclusive: true }),
    );
  }

  runMaintenance(): Promise<void> {
    return this.#serve(() =>
      this.run.queue.execute((transaction) => {
        expireLeases(transaction);
        expireReceipts(transaction);
      }),
    );
  }

  readStatus(): Promise<number> {
    return this.#serve(() => this.run.queue.read((state) => state.statistics.groupCount));
  }

  #take(state: 'sending' | 'leased', owner: string, leaseMs: number): Promise<Claim | null> {
    return this.run.queue.execute((transaction) => {
      const handOut = handOutChecked(this.#options.world, transaction, { state, owner, leaseMs });
      if (handOut.kind !== 'batch') return null;
      const { batchId, epoch, groupIds } = handOut.batch;
      return { batchId, epoch, groupIds: [...groupIds] };
    });
  }

  #read<T>(look: (database: SimulatedDatabase) => T): Promise<T> {
    const { database } = this.#options;
    return database.ask(this, 'read', () => look(database));
  }

  #runId(): string {
    return this.#options.database.runs.get('tenant/run')?.runId ?? '';
  }

  /** Whether a reply reaches its client. */
  #flush(): Promise<boolean> {
    const { world } = this.#options;
    return new Promise((resolve) =>
      world.send(() => {
        if (!this.isDead) resolve(!world.fails(0.1));
      }),
    );
  }

  #pause(ms: number): Promise<void> {
    const { world } = this.#options;
    return world.pause(ms).then(() => (this.isDead ? new Promise<never>(() => undefined) : undefined));
  }

  #serve<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return Promise.reject(new Error('the connection was refused'));
    return new Promise<T>((resolve, reject) => {
      this.#calls.add(reject);
      work()
        .then(resolve, reject)
        .finally(() => this.#calls.delete(reject));
    });
  }
}
