import { PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';
import { encodeGroup } from '@lachesis/protocol/codec';
import { openStore, type Store } from '@lachesis/store';

import { createLog } from '../../../packages/server/src/http/logs/create-log.ts';
import { readTrajectoryApiSettings } from '../../../packages/server/src/http/settings/trajectory-api-settings.ts';
import {
  buildTrajectoryApi,
  type BuiltTrajectoryApi,
  type TrajectoryApiReplacements,
} from '../../../packages/server/src/trajectory-api/build.ts';
import { findQuietPort } from '../../kit/find-quiet-port.ts';

export interface Cluster extends AsyncDisposable {
  readonly apis: readonly BuiltTrajectoryApi[];
  readonly addresses: readonly string[];
  readonly store: Store;
}

export interface ClusterOptions {
  readonly databaseUrl: string;
  readonly home: string;
  /** 3 by default. */
  readonly size?: number;
  /** Whether each run has an owner. */
  readonly owned: boolean;
  readonly replace?: TrajectoryApiReplacements;
}

/** APIs of this process over one PostgreSQL and one home. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { databaseUrl, home, size = 3, owned, replace = {} } = options;
  await using stack = new AsyncDisposableStack();
  const store = await openStore({ databaseUrl });
  stack.defer(() => store.close());
  const apis: BuiltTrajectoryApi[] = [];
  const addresses: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const replicaAddress = `http://127.0.0.1:${await findQuietPort()}`;
    addresses.push(replicaAddress);
    const { values: settings } = readTrajectoryApiSettings(
      { home, databaseUrl, ingestWorkers: 1, diskReserve: 0, ...(owned ? { replicaAddress } : {}) },
      {},
    );
    const log = createLog({ name: 'trajectory-api', level: 'silent' });
    const api = await buildTrajectoryApi({ settings, log, instanceId: `api-${index}`, replace });
    stack.defer(() => api.close());
    apis.push(api);
  }
  const opened = stack.move();
  return { apis, addresses, store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Of every answer that these tests look at. */
interface Answered {
  readonly batch?: { batch_id: string; epoch: number } | null;
  readonly error?: { code: string };
  readonly replayed?: boolean;
}

export async function call(
  api: BuiltTrajectoryApi | undefined,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Answered }> {
  const payload =
    body === undefined ? {} : { payload: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) };
  if (api === undefined) throw new Error('there is no such server');
  const reply = await api.app.inject({
    ...{ method, url, ...payload },
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
  });
  return { status: reply.statusCode, json: JSON.parse(reply.body) as Answered };
}

export const push = (api: BuiltTrajectoryApi | undefined, key: string, runName = 'default') => {
  const rowLengths = Uint32Array.of(2, 2);
  const bytes = encodeGroup({
    header: {},
    tokens: { values: Uint32Array.of(1, 2, 3, 4), rowLengths },
    masks: { values: Int32Array.of(1, 2, 3, 4), rowLengths },
    scores: Float64Array.of(Number(key), 1),
  });
  return call(api, 'POST', `/run/${runName}/v1/groups`, bytes, {
    'content-type': PACKED_GROUP_CONTENT_TYPE,
    'idempotency-key': key,
  });
};
