import type { IncomingGroup } from '../../../packages/server/src/trajectory-api/queue/accept-groups.ts';
import type { Cluster } from './cluster.ts';
import type { Claim } from './simulated-server.ts';
import { LEASE_MS } from './witness.ts';

/** The clients of the original give up after three; ours after a few more. */
const TRIES = 6;

/** Pushes groups through both APIs; repeats what it got no answer for, word for word. */
export async function produce(cluster: Cluster): Promise<void> {
  const { world } = cluster;
  let envId: number | null = null;
  while (cluster.mayPush()) {
    await world.turn();
    if (world.random.chance(0.1)) envId = (await registerEnvironment(cluster)) ?? envId;
    const kind = world.random.below(10);
    if (kind < 4) await pushPlain(cluster, envId);
    else if (kind < 9) await pushNative(cluster, envId);
    else await pushTwins(cluster, envId);
  }
}

async function pushPlain(cluster: Cluster, envId: number | null): Promise<void> {
  const { world, witness } = cluster;
  const digest = `body of ${world.nextId()}`;
  const count = 1 + (world.random.chance(0.2) ? world.random.below(3) : 0);
  witness.expectPush(digest, count);
  const shapes = Array.from({ length: count }, () => makeGroup(cluster, digest, envId));
  const isDone = await repeat(cluster, () =>
    cluster.anyServer().pushPlain(
      digest,
      shapes.map((group) => ({ ...group, groupId: world.nextId() })),
    ),
  );
  if (isDone) witness.seeAcknowledged(digest);
}

async function pushNative(cluster: Cluster, envId: number | null): Promise<void> {
  const { world, witness } = cluster;
  const digest = `body of ${world.nextId()}`;
  const group = makeGroup(cluster, digest, envId);
  const hasOwnId = world.random.chance(0.5);
  const ended = {
    ...group,
    nonFiniteFields: [],
    outcome: world.random.chance(0.05) ? ('failed' as const) : group.outcome,
  };
  witness.expectPush(digest, 1);
  const isDone = await repeat(cluster, () =>
    cluster.anyServer().pushNative(`key ${digest}`, hasOwnId ? ended : { ...ended, groupId: world.nextId() }),
  );
  if (isDone) witness.seeAcknowledged(digest);
}

/** Two equal groups at once over the connections of one environment: both are acknowledged, so both are kept. */
async function pushTwins(cluster: Cluster, envId: number | null): Promise<void> {
  const { world, witness } = cluster;
  const digest = `twins of ${world.nextId()}`;
  const server = cluster.anyServer();
  const twins = [0, 1].map(async () => {
    const push = witness.expectPush(digest, 1);
    const group = makeGroup(cluster, digest, envId);
    try {
      await server.pushPlain(digest, [group]);
      push.isExcused ||= server.isDead;
      witness.seeAcknowledged(digest);
    } catch {
      // Its sender never heard of it and does not try again: its receipt waits for an equal body, the other twin.
      push.isExcused = true;
    }
  });
  await Promise.all(twins);
}

/** A native trainer: leases, holds, trains, settles. Some sleep past their lease and answer late. */
export async function consume(cluster: Cluster, name: string): Promise<void> {
  const { world, witness } = cluster;
  for (;;) {
    await world.turn();
    const claim = await cluster
      .anyServer()
      .lease(name, LEASE_MS)
      .catch(() => null);
    if (claim === null) {
      if (world.random.chance(0.3))
        await cluster
          .anyServer()
          .register(cluster.batchSize)
          .catch(() => undefined);
      continue;
    }
    witness.seeHandedOver(claim);
    if (world.random.chance(0.7)) await readGroups(cluster, claim, name);
    for (let turns = world.random.below(4); turns > 0; turns--) await world.turn();
    if (world.fails(0.3)) await sleepPast(cluster);
    else if (world.random.chance(0.2))
      await cluster
        .anyServer()
        .renew(claim, LEASE_MS)
        .catch(() => false);
    if (world.fails(0.2)) await reject(cluster, claim);
    else await acknowledge(cluster, claim, name);
  }
}

/** What it was given it may read, at whichever server it asks. */
async function readGroups(cluster: Cluster, claim: Claim, name: string): Promise<void> {
  const isHeld = await cluster
    .reader()
    .readBatch(claim)
    .catch(() => true);
  if (!isHeld) cluster.witness.seeRefused(claim, name);
}

async function acknowledge(cluster: Cluster, claim: Claim, name: string): Promise<void> {
  await repeat(cluster, async () => {
    const isTrained = await cluster.anyServer().ack(claim);
    if (isTrained) cluster.witness.seeTrained(claim, name);
    else cluster.witness.seeRefused(claim, name);
  });
}

async function reject(cluster: Cluster, claim: Claim): Promise<void> {
  const { random } = cluster.world;
  const named = random.chance(0.5) ? [random.pick(claim.groupIds)] : [];
  await cluster
    .anyServer()
    .nack(claim, named)
    .catch(() => undefined);
}

/** A plain trainer: takes what it is given and never says a word. */
export async function consumePlain(cluster: Cluster): Promise<void> {
  const { world, witness } = cluster;
  for (;;) {
    await world.turn();
    const server = cluster.anyServer();
    const excuse = { isExcused: false };
    let delivery = excuse;
    await server
      .sendBatch((claim) => {
        delivery = witness.seeFlushed(claim);
        cluster.onDeath(server, () => (delivery.isExcused = true));
      })
      .catch(() => (delivery.isExcused = true));
  }
}

/** Time passes, processes die, somebody resets the run. */
export async function disturb(cluster: Cluster): Promise<void> {
  const { world } = cluster;
  let jumps = 8;
  for (;;) {
    await world.turn();
    const kind = world.random.below(100);
    if (kind < 12) {
      if (!world.isCalm) cluster.kill(cluster.victim());
    } else if (kind < 40) {
      if (world.isIdle && jumps-- > 0) world.now += 8_000 + world.random.below(30_000);
    } else if (kind < 42) {
      if (!world.isCalm)
        await cluster
          .anyServer()
          .reset()
          .catch(() => undefined);
    } else if (kind < 50) {
      await cluster
        .anyServer()
        .setConnected(world.random.below(3), world.random.chance(0.5))
        .catch(() => undefined);
    } else if (kind < 75) {
      await cluster
        .reader()
        .readStatus()
        .catch(() => 0);
    } else {
      await cluster
        .anyServer()
        .runMaintenance()
        .catch(() => undefined);
    }
  }
}

async function registerEnvironment(cluster: Cluster): Promise<number | null> {
  const { random } = cluster.world;
  return cluster
    .anyServer()
    .registerEnvironment({
      maxTokenLength: 64,
      desiredName: 'env',
      weight: 1,
      groupSize: random.pick([2, 4, 4, cluster.batchSize]),
      minBatchAllocation: random.chance(0.2) ? random.pick([0.25, 0.5]) : null,
    })
    .catch(() => null);
}

async function sleepPast(cluster: Cluster): Promise<void> {
  const { world } = cluster;
  const until = world.now + LEASE_MS;
  for (let turns = 0; turns < 10 && world.now < until; turns++) await world.turn();
}

/** Tries again until there is an answer, or patience ends. */
async function repeat(cluster: Cluster, attempt: () => Promise<void>): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      await attempt();
      return true;
    } catch {
      await cluster.world.turn();
    }
  }
  return false;
}

function makeGroup({ world, batchSize }: Cluster, digest: string, envId: number | null): IncomingGroup {
  const { random } = world;
  return {
    groupId: world.nextId(),
    envId: random.chance(0.7) ? envId : null,
    sequenceCount: random.pick([1, 2, 2, 2, 4, 4, batchSize, random.below(6)]),
    tokenCount: 8,
    longestSequence: 4,
    payloadDigest: digest,
    payloadBytes: 10 + random.below(90),
    nonFiniteFields: random.chance(0.03) ? ['scores'] : [],
    rolloutId: null,
    outcome: 'scored',
    reason: null,
    environmentDigest: null,
    verifierDigest: null,
    split: random.chance(0.03) ? 'eval' : 'train',
    consent: 'unspecified',
    policyVersionMin: null,
    policyVersionMax: null,
  };
}
