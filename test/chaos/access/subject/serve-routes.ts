import { Registry } from 'prom-client';
import type { Store } from '@lachesis/store';
import { createLog } from '@lachesis/server/processes';
import type { AddressInfo } from 'node:net';

import { Authenticator } from '../../../../packages/server/src/http/access/authenticate.ts';
import { createTokenDirectory } from '../../../../packages/server/src/http/access/token-directory.ts';
import { createHttpServer } from '../../../../packages/server/src/http/create-http-server.ts';
import type { Route } from '../../../../packages/server/src/http/route.ts';
import { HttpMetrics } from '../../../../packages/server/src/http/metrics/http-metrics.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';

/** Serves routes of a real server with one part replaced: a fault that the suite must find. */
export async function serveRoutes(
  context: ScenarioContext,
  options: { routes: readonly Route[]; store: Store; authenticator?: Authenticator },
): Promise<string> {
  const { routes, store, authenticator = new Authenticator({ directory: createTokenDirectory(store) }) } = options;
  const app = createHttpServer({
    ...{ routes, authenticator, maxBodyBytes: 1024 ** 2, bodyBudgetBytes: 16 * 1024 ** 2 },
    browserRules: { allowedHosts: new Set(['127.0.0.1']), allowedOrigins: new Set() },
    metrics: new HttpMetrics(new Registry()),
    log: createLog({ name: 'fault', level: 'silent' }),
  });
  context.defer(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

/** Asks once who somebody is, and never again while a reply of theirs is open. */
export class TrustingAuthenticator extends Authenticator {
  override authenticate(credential: string | null, maxAgeMs?: number): ReturnType<Authenticator['authenticate']> {
    return super.authenticate(credential, maxAgeMs === undefined ? undefined : Number.POSITIVE_INFINITY);
  }
}
