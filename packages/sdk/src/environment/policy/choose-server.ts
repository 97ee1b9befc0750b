import type { ServerConfig } from '../config/server-config.ts';

/** A server that failed is passed over for this long while others are there. */
const REST_MS = 5_000;

/** What the pool knows about one server. */
export interface PooledServer {
  readonly config: ServerConfig;
  inFlight: number;
  /** Of those, evaluations. */
  evaluating: number;
  /** Passed over until then, unless all rest. */
  restsUntil: number;
}

export interface ServerPool {
  /** The server with most room for its weight; undefined when every one is full. */
  choose(isEvaluation: boolean): PooledServer | undefined;
  rest(server: PooledServer): void;
  readonly servers: readonly PooledServer[];
}

export function createServerPool(configs: readonly ServerConfig[], now: () => number): ServerPool {
  const servers = configs.map((config): PooledServer => ({ config, inFlight: 0, evaluating: 0, restsUntil: 0 }));
  const loadOf = ({ inFlight, config }: PooledServer): number => (inFlight + 1) / Math.max(config.weight, 1e-9);
  return {
    servers,
    choose(isEvaluation) {
      const open = servers.filter(
        ({ inFlight, evaluating, config }) =>
          inFlight < config.num_max_requests_at_once && (!isEvaluation || evaluating < config.num_requests_for_eval),
      );
      const awake = open.filter(({ restsUntil }) => restsUntil <= now());
      const candidates = awake.length > 0 ? awake : open;
      return candidates.toSorted((left, right) => loadOf(left) - loadOf(right))[0];
    },
    rest(server) {
      server.restsUntil = now() + REST_MS;
    },
  };
}
