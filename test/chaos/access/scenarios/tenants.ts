import { createToken } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { openServers } from '../subject/open-servers.ts';
import { makeThings } from '../tenants/make-things.ts';
import { findFilesWith, readRows, type Rows } from '../tenants/read-storage.ts';
import { tryEverything } from '../tenants/try-everything.ts';

/** A call is in its outbox when it was answered, and in the database soon after. */
const DRAINED_MS = 1_500;

export const tenantsScenario: Scenario = {
  name: 'tenants',
  title: 'a stranger’s administrator tries every verb on everything a tenant has: no reply, row or file is crossed',
  async run(context) {
    const servers = await openServers(context);
    const { store, home } = servers;
    const adminOf = async (tenantId: string): Promise<string> =>
      (await createToken({ store, tenantId, name: 'admin', scopes: ['admin'] })).token;
    const [a, b] = [await adminOf('a'), await adminOf('b')];
    const theirs = await makeThings(servers, a, 'canary-of-a-7f3e');
    const own = await makeThings(servers, b, 'canary-of-b-9c1d');
    await sleep(DRAINED_MS);
    const before = readRows(home).get('a');

    let calls = 0;
    const leaks: string[] = [];
    for (const server of servers.all) {
      const tried = await tryEverything(server, b, theirs);
      calls += tried.calls;
      leaks.push(...tried.leaks);
    }
    for (const line of leaks.slice(0, 20)) context.log(line);
    context.report({
      name: 'replies to a stranger',
      figure: `${leaks.length} of ${calls} with something of the tenant`,
      bar: '0',
      ok: leaks.length === 0 && calls > 80,
    });

    await sleep(DRAINED_MS);
    const rows = readRows(home);
    const changed = describeChanges(before, rows.get('a'));
    for (const line of changed) context.log(line);
    const count = [...(before ?? new Map<string, string[]>()).values()].flat().length;
    context.report({
      name: 'rows of the tenant',
      figure: `${changed.length} of ${count} changed`,
      bar: '0',
      ok: changed.length === 0 && count > 10,
    });

    const crossed = [...rows].flatMap(([tenant, tables]) =>
      [...tables].flatMap(([table, list]) =>
        list
          .filter((row) => [theirs, own].some(({ canary }) => row.includes(canary) && tenant !== canary.at(10)))
          .map((row) => `${table} of ${tenant}: ${row.slice(0, 200)}`),
      ),
    );
    for (const line of crossed.slice(0, 20)) context.log(line);
    context.report({
      name: 'rows under another tenant',
      figure: String(crossed.length),
      bar: '0',
      ok: crossed.length === 0,
    });

    const shared = (await findFilesWith(home, theirs.canary)).filter((file) =>
      /(^|\/)(outbox-tenants\/b|outbox)\//.test(file),
    );
    for (const file of shared) context.log(file);
    const ofB = (await findFilesWith(home, own.canary)).filter((file) => file.includes('outbox-tenants/a/'));
    context.report({
      name: 'files of one tenant in the folder of another',
      figure: String(shared.length + ofB.length),
      bar: '0',
      ok: shared.length + ofB.length === 0,
    });
  },
};

function describeChanges(before: Rows | undefined, after: Rows | undefined): string[] {
  return [...(before ?? [])].flatMap(([table, rows]) => {
    const now = new Set(after?.get(table));
    return rows.filter((row) => !now.has(row)).map((row) => `${table}: ${row.slice(0, 300)}`);
  });
}
