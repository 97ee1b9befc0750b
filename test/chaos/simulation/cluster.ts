import { REAL_PARTS, type SimulationParts } from './parts.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedServer } from './simulated-server.ts';
import { Witness } from './witness.ts';
import { World } from './world.ts';

const PUSHES = 24;
/** The third server. */
const READER = 2;

/** The servers of a world over one database, and who watches them. */
export class Cluster {
  readonly world: World;
  readonly database: SimulatedDatabase;
  readonly witness: Witness;
  readonly batchSize: number;
  readonly servers: SimulatedServer[];
  readonly #start: (index: number) => SimulatedServer;
  readonly #mourners = new Map<SimulatedServer, (() => void)[]>();
  kills = 0;
  #pushes = 0;

  constructor(seed: number, parts: SimulationParts = REAL_PARTS) {
    const world = new World(seed);
    const database = new SimulatedDatabase(world);
    const deviates = world.random.chance(0.85);
    const size = world.random.pick([1, 2, 3, 3]);
    this.world = world;
    this.database = database;
    this.witness = new Witness({ world, database, deviates });
    this.batchSize = world.random.pick([4, 4, 6, 8]);
    this.#start = (index) =>
      new SimulatedServer({
        world,
        database,
        parts,
        instanceId: `server ${index}`,
        deviates,
        isShared: size > 1 && (index === READER ? parts.readerLooksVersionsUp : parts.looksVersionsUp),
      });
    this.servers = Array.from({ length: size }, (_, index) => this.#start(index));
  }

  /** One that is asked everything. */
  anyServer(): SimulatedServer {
    return this.world.random.pick(this.servers.slice(0, READER));
  }

  /** One that is asked nothing but questions, where there are three: whatever it knows, others have written. */
  reader(): SimulatedServer {
    return this.servers[READER] ?? this.anyServer();
  }

  /** Any, the reader among them. */
  victim(): SimulatedServer {
    return this.world.random.pick(this.servers);
  }

  mayPush(): boolean {
    this.#pushes += 1;
    return !this.world.isCalm && this.#pushes <= PUSHES;
  }

  /** A server dies and its successor takes its place. */
  kill(server: SimulatedServer): void {
    this.kills += 1;
    server.die();
    for (const mourn of this.#mourners.get(server) ?? []) mourn();
    this.#mourners.delete(server);
    const index = this.servers.indexOf(server);
    this.servers[index] = this.#start(index);
  }

  onDeath(server: SimulatedServer, mourn: () => void): void {
    this.#mourners.set(server, [...(this.#mourners.get(server) ?? []), mourn]);
  }
}
