import { REAL_PARTS, type SimulationParts } from './parts.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedServer } from './simulated-server.ts';
import { Witness } from './witness.ts';
import { World } from './world.ts';

const PUSHES = 24;

/** The servers of a world over one database, and who watches them. */
export class Cluster {
  readonly world: World;
  readonly database: SimulatedDatabase;
  readonly witness: Witness;
  readonly batchSize: number;
  readonly servers: SimulatedServer[];
  readonly #start: (instanceId: string) => SimulatedServer;
  readonly #mourners = new Map<SimulatedServer, (() => void)[]>();
  kills = 0;
  #pushes = 0;

  constructor(seed: number, parts: SimulationParts = REAL_PARTS) {
    const world = new World(seed);
    const database = new SimulatedDatabase(world);
    const deviates = world.random.chance(0.85);
    const size = world.random.chance(0.6) ? 2 : 1;
    this.world = world;
    this.database = database;
    this.witness = new Witness({ world, database, deviates });
    this.batchSize = world.random.pick([4, 4, 6, 8]);
    this.#start = (instanceId) =>
      new SimulatedServer({
        world,
        database,
        parts,
        instanceId,
        deviates,
        isShared: size > 1 && parts.looksVersionsUp,
      });
    this.servers = Array.from({ length: size }, (_, index) => this.#start(`server ${index}`));
  }

  anyServer(): SimulatedServer {
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
    this.servers[this.servers.indexOf(server)] = this.#start(server.instanceId);
  }

  onDeath(server: SimulatedServer, mourn: () => void): void {
    this.#mourners.set(server, [...(this.#mourners.get(server) ?? []), mourn]);
  }
}
