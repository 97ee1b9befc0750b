import { DatabaseClock } from '../../../packages/server/src/trajectory-api/database-clock.ts';
import { DEFAULT_RULES, type QueueRules } from '../../../packages/server/src/trajectory-api/queue/transaction.ts';
import type { World } from './world.ts';

/** The parts of a simulated server that a mutant may replace. */
export interface SimulationParts {
  rules(real: QueueRules): QueueRules;
  /** Whether native pushes are remembered by their key. */
  readonly remembersIdempotencyKeys: boolean;
  /** Whether a server of several looks up what the others wrote before it answers what it only read. */
  readonly looksVersionsUp: boolean;
  /** The same of a server that is asked nothing but questions. */
  readonly readerLooksVersionsUp: boolean;
  /** The clock that leases run on. */
  createClock(world: World, monotonic: () => number): DatabaseClock;
}

export const REAL_PARTS: SimulationParts = {
  rules: (real) => real,
  remembersIdempotencyKeys: true,
  looksVersionsUp: true,
  readerLooksVersionsUp: true,
  createClock: (_world, monotonic) => new DatabaseClock({ monotonic }),
};

/** Each breaks one promise; the simulation must notice. */
export const MUTANTS: Readonly<Record<string, SimulationParts>> = {
  'no fence': { ...REAL_PARTS, rules: (real) => ({ ...real, acceptsEpoch: () => true }) },
  'no idempotency': {
    ...REAL_PARTS,
    rules: (real) => ({ ...real, acceptsReceipt: () => false }),
    remembersIdempotencyKeys: false,
  },
  'answers from memory': { ...REAL_PARTS, looksVersionsUp: false },
  'a reader that answers from memory': { ...REAL_PARTS, readerLooksVersionsUp: false },
  'leases by the clock of the host': {
    ...REAL_PARTS,
    createClock: (world, monotonic) => new HostClock(world, monotonic, (world.random.next() - 0.5) * 120_000),
  },
};

export function makeRules(parts: SimulationParts, deviates: boolean): QueueRules {
  return parts.rules({ ...DEFAULT_RULES, deviates });
}

/** What a server would read if it asked its own host for the time: wrong by some seconds, each host differently. */
class HostClock extends DatabaseClock {
  readonly #world: World;
  readonly #skewMs: number;

  constructor(world: World, monotonic: () => number, skewMs: number) {
    super({ monotonic });
    this.#world = world;
    this.#skewMs = skewMs;
  }

  override get isSynced(): boolean {
    return true;
  }

  override sync(): void {
    // A host's clock does not listen to the database.
  }

  override now(): number {
    return Math.floor(this.#world.now + this.#skewMs);
  }
}
