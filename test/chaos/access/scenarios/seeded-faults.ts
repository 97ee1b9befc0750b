import { createToken } from '@lachesis/store';

import { createTokenDirectory } from '../../../../packages/server/src/http/access/token-directory.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { makeCredentials } from '../matrix/make-credentials.ts';
import { walkMatrix } from '../matrix/walk-matrix.ts';
import { endStreams } from '../streams/end-streams.ts';
import { listStreams } from '../streams/list-streams.ts';
import { openServers } from '../subject/open-servers.ts';
import { serveRoutes, TrustingAuthenticator } from '../subject/serve-routes.ts';
import { makeThings } from '../tenants/make-things.ts';
import { tryEverything } from '../tenants/try-everything.ts';

const LEDGER = '/v1/ledger';
const TRAJECTORY = '/v1/trajectories/:id';

export const seededFaultsScenario: Scenario = {
  name: 'seeded-faults',
  title: 'a route without its scope, a lookup that ignores the tenant, a stream that is not ended: each is found',
  async run(context) {
    const servers = await openServers(context);
    const { store, routes } = servers;
    const report = (name: string, found: string | undefined): void =>
      context.report({ name, figure: found ?? 'not found', bar: 'found', ok: found !== undefined });

    const open = await serveRoutes(context, {
      store,
      routes: routes['trajectory-api'].map((route) => (route.path === LEDGER ? { ...route, scope: 'public' } : route)),
    });
    const declared = routes['trajectory-api'].filter(({ path }) => path === LEDGER);
    const { wrong } = await walkMatrix(
      { name: 'trajectory-api', url: open, routes: declared, takesPathKeys: false },
      await makeCredentials(store),
    );
    report('a route without its scope', wrong.length === 0 ? undefined : `${wrong.length} wrong cells`);

    const [a, b] = await Promise.all(
      ['a', 'b'].map(async (tenantId) => createToken({ store, tenantId, name: 'admin', scopes: ['admin'] })),
    );
    const theirs = await makeThings(servers, a?.token ?? '', 'canary-of-a-51aa');
    const blind = await serveRoutes(context, {
      store,
      routes: routes.control.map((route) =>
        route.path === TRAJECTORY && route.method === 'GET'
          ? {
              ...route,
              handle: (call: Parameters<typeof route.handle>[0]) =>
                route.handle({ ...call, principal: { ...call.principal, tenantId: 'a' } }),
            }
          : route,
      ),
    });
    const looked = routes.control.filter(({ path }) => path === TRAJECTORY);
    const control = { name: 'control', url: blind, routes: looked, takesPathKeys: false } as const;
    const { leaks } = await tryEverything(control, b?.token ?? '', theirs);
    report('a lookup that ignores the tenant', leaks.length === 0 ? undefined : `${leaks.length} leaks`);

    const trusting = await serveRoutes(context, {
      ...{ store, routes: routes['trajectory-api'] },
      authenticator: new TrustingAuthenticator({ directory: createTokenDirectory(store) }),
    });
    const { streams } = await endStreams({
      ...{ store, way: 'revoked' },
      list: async (token, pathKey) =>
        (await listStreams(servers, token, pathKey))
          .filter(({ name }) => name === 'events of a run')
          .map((plan) => ({ ...plan, url: plan.url.replace(servers.find('trajectory-api').url, trusting) })),
    });
    const goesOn = streams.filter(({ ms }) => ms === undefined);
    report('a stream that is not ended', goesOn.length === 0 ? undefined : `${goesOn.length} goes on`);
  },
};
