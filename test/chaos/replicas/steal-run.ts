import { acquireLease } from '@lachesis/store';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { findQuietPort } from '../../kit/find-quiet-port.ts';
import { call, openCluster, push, type ClusterOptions } from './cluster.ts';

/**
 * A server owns a run, another takes it from it without writing anything, and the first is asked to take a group: its rows are
 * current, and only its epoch is over.
 */
export async function stealRun(
  options: Omit<ClusterOptions, 'owned' | 'size'>,
): Promise<{ status: number; rows: number }> {
  await using thief = await startThief();
  // It finds out by writing, and not by renewing its lease.
  const replace = { replicaLeaseSeconds: 3600, ...options.replace };
  await using cluster = await openCluster({ ...options, replace, owned: true, size: 1 });
  const { apis, store } = cluster;
  const [first] = apis;
  const countRows = async (): Promise<number> => {
    const query = store.db.selectFrom('groups').select((eb) => eb.fn.countAll<number>().as('rows'));
    return (await query.executeTakeFirstOrThrow()).rows;
  };
  const before = await countRows();
  // One for each theft: the thief keeps what it took.
  const runName = `stolen-${randomBytes(4).toString('hex')}`;
  await call(first, 'PUT', `/run/${runName}/v1/registration`, { batch_size: 2 });
  await acquireLease({
    ...{ store, tenantId: 'local', kind: 'run-queue', resource: runName },
    ...{ holder: `${thief.address} thief`, seconds: 600, isGone: () => true },
  });
  const { status } = await push(first, String(before), runName);
  return { status, rows: (await countRows()) - before };
}

/** Stands where the owner of a run should, and decides nothing. */
async function startThief(): Promise<AsyncDisposable & { address: string }> {
  const refusal = { kind: 'refused', code: 'unavailable', message: 'not now' };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ refusal }));
  });
  const port = await findQuietPort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
