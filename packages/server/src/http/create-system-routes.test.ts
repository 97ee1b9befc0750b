import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createSystemRoutes } from './create-system-routes.ts';
import type { RouteCall } from './route.ts';
import { SERVER_VERSION } from './settings/version.ts';

test('the document of the routes names the version of the package', async () => {
  const routes = createSystemRoutes({ registry: new Registry(), described: [], title: 'one' });
  const document = await routes
    .find(({ path }) => path === '/openapi.json')
    ?.handle({ request: { params: {}, query: {} }, reply: { statusCode: 200 } } as unknown as RouteCall);
  expect(document).toMatchObject({ info: { title: 'one', version: SERVER_VERSION } });
});
