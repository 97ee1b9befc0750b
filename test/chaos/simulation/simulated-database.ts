import { StoreUnavailableError, type QueueChanges } from '../../../packages/store/src/index.ts';
import type { QueueIdentity } from '../../../packages/store/src/queue/write-queue.ts';
import { MemoryDatabase } from '../../../packages/server/src/trajectory-api/memory-database.fixture.ts';
import type { QueuePersistence } from '../../../packages/server/src/trajectory-api/run-queue.ts';
import type { World } from './world.ts';

/** How often a statement goes wrong, by what is heard and what happened. */
const REFUSED = 0.03;
const UNHEARD = 0.03;
const LATE = 0.02;

/** The database of a world. Observers see each commit at the moment it happens. */
export class SimulatedDatabase extends MemoryDatabase {
  readonly #world: World;
  onCommit: (queue: QueueIdentity, changes: QueueChanges) => void = () => undefined;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  override commit(queue: QueueIdentity, changes: QueueChanges): void {
    super.commit(queue, changes);
    this.onCommit(queue, changes);
  }

  /**
   * Asks the database over a wire that may break on the way there and on the way back. What a process asked before it
   * died may still happen; nobody hears of it.
   */
  ask<T>(caller: { isDead: boolean }, kind: 'read' | 'commit', perform: () => T): Promise<T> {
    const world = this.#world;
    return new Promise((resolve, reject) => {
      world.send(() => {
        if (caller.isDead) {
          if (kind === 'commit' && world.random.chance(0.5)) attempt(perform);
          return;
        }
        if (world.fails(REFUSED)) {
          reject(unavailable('nothing-written'));
          return;
        }
        if (kind === 'commit' && world.fails(LATE)) {
          reject(unavailable('unknown'));
          world.send(() => void attempt(perform));
          return;
        }
        const outcome = attempt(perform);
        const isHeard = !world.fails(UNHEARD);
        world.send(() => {
          if (caller.isDead) return;
          if (!isHeard) reject(unavailable('unknown'));
          else if (outcome.isDone) resolve(outcome.value);
          else reject(outcome.error);
        });
      });
    });
  }

  createPersistence(caller: { isDead: boolean }, isShared: boolean): QueuePersistence {
    return {
      isShared,
      load: (run) => this.ask(caller, 'read', () => this.load(run)),
      readVersion: (run) => this.ask(caller, 'read', () => this.readVersion(run)),
      now: () => this.ask(caller, 'read', () => this.#world.now),
      commit: (state, changes) =>
        this.ask(caller, 'commit', () => {
          this.commit(state, changes);
          return { databaseNow: this.#world.now };
        }),
    };
  }
}

type Outcome<T> = { isDone: true; value: T } | { isDone: false; error: Error };

function attempt<T>(perform: () => T): Outcome<T> {
  try {
    return { isDone: true, value: perform() };
  } catch (error) {
    return { isDone: false, error: error as Error };
  }
}

function unavailable(outcome: 'unknown' | 'nothing-written'): StoreUnavailableError {
  return new StoreUnavailableError({ detail: 'the simulated wire broke', outcome });
}
