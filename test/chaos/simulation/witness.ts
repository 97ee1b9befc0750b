import type { QueueChanges } from '../../../packages/store/src/index.ts';
import type { QueueIdentity } from '../../../packages/store/src/queue/write-queue.ts';
import type { QueueStateRecord } from '../../../packages/store/src/queue/records.ts';
import { isBalanced, readLedger } from '../../../packages/server/src/trajectory-api/queue/ledger.ts';
import { restoreQueue, type QueueState } from '../../../packages/server/src/trajectory-api/queue/state.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import type { Claim, SimulatedServer } from './simulated-server.ts';
import type { World } from './world.ts';

/** How long every lease of a simulation is. */
export const LEASE_MS = 20_000;
/** Between a decision and its commit simulated time passes, and a server's clock lags by as much as an answer took. */
const LEASE_TOLERANCE_MS = 6_000;

/** One body and everything known about it. */
interface Push {
  readonly groupsPerBody: number;
  /** How many pushes have this body: two for twins. */
  sent: number;
  acknowledged: number;
  stored: number;
  /** Stored in incarnations that are archived; a reset forgets the receipts of plain pushes, as it does everything else. */
  archived: number;
  /** A crash may turn two equal pushes into one: their receipts look alike to the next life. */
  isExcused: boolean;
}

interface Delivery {
  readonly at: number;
  isExcused: boolean;
}

/** Sees every commit and every answer, and knows what must be true of them. */
export class Witness {
  readonly pushes = new Map<string, Push>();
  readonly #world: World;
  readonly #database: SimulatedDatabase;
  readonly #deviates: boolean;
  readonly #heldUntil = new Map<string, { epoch: number; until: number }>();
  readonly #trainedBy = new Map<string, string>();
  readonly #deliveries = new Map<string, Delivery>();
  #hasNews = false;
  #checks = 0;
  /** What the rows say now; worked out once per commit. */
  #truth = '';
  /** The version of each server's memory that was compared last. */
  readonly #compared = new WeakMap<QueueState, number>();

  constructor(options: { world: World; database: SimulatedDatabase; deviates: boolean }) {
    this.#world = options.world;
    this.#database = options.database;
    this.#deviates = options.deviates;
    options.database.onCommit = (queue, changes) => this.#seeCommit(queue, changes);
  }

  expectPush(digest: string, groupsPerBody: number): Push {
    const known = this.pushes.get(digest) ?? {
      groupsPerBody,
      sent: 0,
      acknowledged: 0,
      stored: 0,
      archived: 0,
      isExcused: false,
    };
    known.sent += 1;
    this.pushes.set(digest, known);
    return known;
  }

  seeAcknowledged(digest: string): void {
    const push = this.pushes.get(digest);
    if (push === undefined) return;
    push.acknowledged += 1;
    const needed = push.isExcused ? 1 : push.acknowledged;
    this.#world.expect(
      push.stored >= needed * push.groupsPerBody,
      () => `lost: ${push.acknowledged} pushes of ${digest} were acknowledged and ${push.stored} groups are stored`,
    );
  }

  /** The trainer was told that its training of the batch counts. */
  seeTrained(claim: Claim, consumer: string): void {
    const settledEpoch = this.#database.settled.get(claim.batchId)?.epoch;
    this.#world.expect(
      settledEpoch === claim.epoch,
      () =>
        `fence: ${consumer} was told that ${claim.batchId} counts under epoch ${claim.epoch}; it was settled under ${settledEpoch}`,
    );
    const token = `${claim.batchId} under epoch ${claim.epoch} by ${consumer}`;
    for (const groupId of claim.groupIds) {
      const known = this.#trainedBy.get(groupId) ?? token;
      this.#trainedBy.set(groupId, known);
      this.#world.expect(known === token, () => `trained twice: ${groupId} in ${known} and in ${token}`);
      const fate = this.#database.fates.get(groupId)?.fate;
      this.#world.expect(
        fate === 'trained',
        () => `${groupId} counts as trained for its trainer, and as ${fate} in the rows`,
      );
    }
  }

  /** The trainer was told that its lease is over. While the rows say that it holds, whoever said so looked at old ones. */
  seeRefused(claim: Claim, consumer: string): void {
    const rows = [...this.#database.runs.values()].flatMap(({ incarnations }) => incarnations.at(-1) ?? []);
    const held = rows.map(({ batches }) => batches.get(claim.batchId)).find((batch) => batch !== undefined);
    const isHeld = held?.state === 'leased' && held.epoch === claim.epoch;
    this.#world.expect(
      !isHeld || (held.leaseExpiresAt ?? 0) <= this.#world.now + LEASE_TOLERANCE_MS,
      () => `refused: ${consumer} holds ${claim.batchId} under epoch ${claim.epoch}, and was refused`,
    );
  }

  /** A trainer holds the whole batch in its hands; plain ones never confirm. */
  seeHandedOver(claim: Claim): Delivery {
    const earlier = this.#deliveries.get(claim.batchId);
    const isLate = earlier !== undefined && this.#world.now - earlier.at > 120_000 - LEASE_TOLERANCE_MS;
    this.#world.expect(
      earlier === undefined || earlier.isExcused || isLate,
      () => `delivered twice: ${claim.batchId}, although its server lives and had flushed it`,
    );
    return { at: this.#world.now, isExcused: false };
  }

  seeFlushed(claim: Claim): Delivery {
    const delivery = this.seeHandedOver(claim);
    this.#deliveries.set(claim.batchId, delivery);
    return delivery;
  }

  /** To be called after every step. */
  check(servers: readonly SimulatedServer[]): void {
    this.#checks += 1;
    if (this.#hasNews) this.#checkRows();
    for (const server of servers) this.#checkCache(server);
    this.#hasNews = false;
  }

  #seeCommit(queue: QueueIdentity, changes: QueueChanges): void {
    this.#hasNews = true;
    for (const group of changes.groups) {
      const push = this.pushes.get(group.bodyDigest ?? '');
      if (push === undefined) continue;
      push.stored += 1;
      this.#world.expect(
        push.stored - (group.api === 'atropos' ? push.archived : 0) <= push.sent * push.groupsPerBody,
        () => `stored twice: ${push.stored} groups of ${group.bodyDigest}, which was pushed ${push.sent} times`,
      );
    }
    for (const event of changes.events) {
      if (event.kind !== 'batch-returned' || event.data['reason'] !== 'lease-expired') continue;
      const batchId = event.data['batch_id'] as string;
      const held = this.#heldUntil.get(batchId);
      const isOver =
        held === undefined || held.epoch !== event.data['epoch'] || this.#world.now >= held.until - LEASE_TOLERANCE_MS;
      this.#world.expect(
        isOver,
        () => `lease: ${batchId} was taken back ${held === undefined ? 0 : held.until - this.#world.now} ms early`,
      );
    }
    for (const batch of changes.batchWrites.values()) {
      if (batch.state === 'leased')
        this.#heldUntil.set(batch.batchId, { epoch: batch.epoch, until: this.#world.now + LEASE_MS });
    }
    if (changes.opened !== null) {
      this.#checkArchive(changes.opened.closed.incarnationId, changes.opened.closed.state);
      for (const push of this.pushes.values()) push.archived = push.stored;
    }
    this.#checkEvents(queue, changes);
  }

  /** What waited at a reset is counted as dropped, and the archived ledger balances. */
  #checkArchive(incarnationId: string, state: QueueStateRecord): void {
    let produced = 0;
    let waiting = 0;
    for (const group of this.#database.groups.values()) {
      if (group.incarnationId !== incarnationId) continue;
      produced += 1;
      if (!this.#database.fates.has(group.groupId)) waiting += 1;
    }
    const { counts } = state;
    this.#world.expect(
      counts.produced === produced,
      () => `archive: ${counts.produced} counted as produced, ${produced} stored`,
    );
    this.#world.expect(
      (counts.dropped['reset'] ?? 0) === waiting,
      () => `archive: ${counts.dropped['reset'] ?? 0} counted as dropped, ${waiting} waited`,
    );
  }

  #checkEvents(queue: QueueIdentity, changes: QueueChanges): void {
    for (const event of changes.events) {
      const previous = event.cursor === 1 ? '' : this.#database.events.get(`${queue.runId}/${event.cursor - 1}`)?.hash;
      this.#world.expect(
        event.previousHash === previous,
        () => `events: ${event.cursor} does not follow ${event.cursor - 1}`,
      );
    }
  }

  #checkRows(): void {
    const state = this.#restore();
    if (state === null) return;
    this.#truth = describeState(state);
    const ledger = readLedger(state);
    this.#world.expect(isBalanced(ledger), () => `ledger: ${JSON.stringify(ledger)}`);

    const ready = new Set(
      [...state.queue, ...[...state.buffers.values()].flat(), ...state.batches.flatMap((batch) => batch.groups)].map(
        (group) => group.groupId,
      ),
    );
    const fates = { delivered: 0, trained: 0, quarantined: 0, dropped: 0 };
    const positions = new Set<number>();
    let produced = 0;
    for (const group of this.#database.groups.values()) {
      if (group.incarnationId !== state.incarnationId) continue;
      produced += 1;
      positions.add(group.position);
      const fate = this.#database.fates.get(group.groupId)?.fate;
      if (fate !== undefined) fates[fate] += 1;
      this.#world.expect(
        ready.has(group.groupId) === (fate === undefined),
        () =>
          `lost or doubled: ${group.groupId} is ${fate ?? 'nowhere'}${ready.has(group.groupId) ? ' and waits' : ''}`,
      );
    }
    const { counts } = state.record;
    const dropped = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
    const said = [counts.produced, counts.delivered, counts.trained, counts.quarantined, dropped].join();
    const counted = [produced, fates.delivered, fates.trained, fates.quarantined, fates.dropped].join();
    this.#world.expect(said === counted, () => `counts: ${said} where the rows give ${counted}`);
    this.#world.expect(positions.size === produced, () => `positions: two groups arrived at the same one`);
    const places = [...state.queue, ...[...state.buffers.values()].flat()].map((group) => group.position);
    this.#world.expect(new Set(places).size === places.length, () => `positions: two groups wait at the same one`);
  }

  /** Memory is a cache of the rows: at the same version a server has what the rows say, sums included. */
  #checkCache(server: SimulatedServer): void {
    const { queue } = server.run;
    const cached = queue.cached;
    if (cached === null || cached.version === 0 || !queue.isIdle) return;
    // A decision that changed memory without a commit shows at the next look; looking always would take half the time.
    if (this.#compared.get(cached) === cached.version && this.#checks % 8 !== 0) return;
    const rows = this.#database.runs.get('tenant/run')?.incarnations.at(-1);
    if (rows?.version !== cached.version || rows.incarnationId !== cached.incarnationId) return;
    this.#compared.set(cached, cached.version);
    const memory = describeState(cached);
    this.#world.expect(
      memory === this.#truth,
      () => `cache: ${server.instanceId} holds ${memory} where the rows give ${this.#truth}`,
    );
  }

  #restore(): QueueState | null {
    const snapshot = this.#database.load({ tenantId: 'tenant', runName: 'run' });
    if (snapshot === null) return null;
    try {
      return restoreQueue(snapshot, { countsFormed: this.#deviates });
    } catch (error) {
      this.#world.refuse(`rows: ${(error as Error).message}`);
      return null;
    }
  }
}

function describeState(state: QueueState): string {
  const { statistics } = state;
  const senders = [null, ...state.environments.map((environment) => environment.ordinal)];
  return JSON.stringify([
    state.queue.map((group) => [group.groupId, group.position, group.failures]),
    state.batches.map((batch) => [
      batch.batchId,
      batch.ordinal,
      batch.state,
      batch.epoch,
      batch.leaseExpiresAt,
      batch.groups.map((group) => [group.groupId, group.failures]),
    ]),
    [...state.buffers]
      .filter(([, groups]) => groups.length > 0)
      .sort(([left], [right]) => left - right)
      .map(([envId, groups]) => [envId, groups.map((group) => group.groupId)]),
    state.environments.map((environment) => [environment.realName, environment.connected]),
    [state.readyGroups, state.readyBytes, statistics.groupCount, statistics.sequenceCount, statistics.largestGroup],
    senders.map((envId) => [statistics.countSequencesOf(envId), statistics.findLargestGroupOf(envId) ?? 0]),
    [...state.receipts.keys()].sort(),
  ]);
}
