import {
  createProcessToken,
  endProcessTokens,
  listOpenRuns,
  listRunProcesses,
  renewProcessToken,
  type Store,
} from '@lachesis/store';

import { DEFAULT_RUN } from '../../http/settings/default-run.ts';

export interface ControlStationsOptions {
  store: Store;
  /** Of this server. */
  instanceId: string;
  monotonic: () => number;
  fetch?: typeof fetch;
}

/** The stations of runs that go on, and how this server proves to them who it is. */
export interface ControlStations {
  /** As `fetch`. A call to a station of a run carries this server's token for that run; any other call goes as it is. */
  fetch: typeof fetch;
  /** A key of a tenant for the gateway beside this server: it may sample and nothing else. */
  findGatewayKey(tenantId: string): Promise<string>;
  /** Lends a program a token that may sample from a run's policy and nothing else, until the work is done. */
  lendSampling<T>(
    run: { tenantId: string; shortId: string },
    options: { id: string; limitMs: number },
    work: (token: string) => Promise<T>,
  ): Promise<T>;
}

interface Station {
  tenantId: string;
  shortId: string;
}

const OWN = { role: 'control', scopes: ['view', 'inference:call'] } as const;
const LIFETIME_MS = 3_600_000;
const RENEW_MS = LIFETIME_MS / 6;
/** Ports change hands only with a run. */
const KNOWN_MS = 1_000;

export function createControlStations(options: ControlStationsOptions): ControlStations {
  const { store, instanceId, monotonic, fetch: send = globalThis.fetch } = options;
  const tokens = new Map<string, { token: Promise<string>; renewedAt: number }>();
  let known: { at: number; stations: Promise<Map<string, Station>> } | undefined;

  const findStation = async (origin: string): Promise<Station | undefined> => {
    if (known === undefined || monotonic() - known.at > KNOWN_MS) {
      const stations = listStations(store);
      known = { at: monotonic(), stations };
      // One that failed is not remembered.
      stations.catch(() => (known = undefined));
    }
    return (await known.stations).get(origin);
  };

  const findToken = async (
    { tenantId, shortId }: Station,
    { role, scopes }: { role: string; scopes: readonly string[] } = OWN,
  ): Promise<string> => {
    const key = { store, tenantId, run: shortId, role, instanceId };
    const name = `${tenantId}/${shortId}/${role}`;
    const kept = tokens.get(name);
    if (kept !== undefined) {
      if (monotonic() - kept.renewedAt < RENEW_MS) return await kept.token;
      kept.renewedAt = monotonic();
      if (await renewProcessToken({ ...key, lifetimeMs: LIFETIME_MS })) return await kept.token;
    }
    const token = createProcessToken({ ...key, scopes, lifetimeMs: LIFETIME_MS }).then((created) => created.token);
    tokens.set(name, { token, renewedAt: monotonic() });
    token.catch(() => tokens.delete(name));
    return await token;
  };

  return {
    async fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      const station = await findStation(url.origin);
      if (station === undefined) return await send(input, init);
      const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
      headers.set('authorization', `Bearer ${await findToken(station)}`);
      // A station sends nobody elsewhere; who answers in its place must not either.
      return await send(input, { ...init, headers, redirect: 'error' });
    },
    findGatewayKey: (tenantId) =>
      findToken({ tenantId, shortId: DEFAULT_RUN }, { role: 'gateway-test', scopes: ['inference:call'] }),
    async lendSampling({ tenantId, shortId }, { id, limitMs }, work) {
      const key = { store, tenantId, run: shortId, role: `test-${id}`, instanceId };
      const { token } = await createProcessToken({ ...key, scopes: ['inference:call'], lifetimeMs: limitMs });
      try {
        return await work(token);
      } finally {
        await endProcessTokens(key);
      }
    },
  };
}

/** Where the processes of open runs listen, by origin: those that were started and have not ended. */
async function listStations(store: Store): Promise<Map<string, Station>> {
  const stations = new Map<string, Station>();
  for (const { tenantId, runId, shortId } of await listOpenRuns({ store })) {
    for (const { port, pid } of await listRunProcesses({ store, tenantId, runId })) {
      if (port !== null && pid !== null) stations.set(`http://127.0.0.1:${port}`, { tenantId, shortId });
    }
  }
  return stations;
}
