import { Registry } from 'prom-client';
import { createControlClient, createRlTools } from '@lachesis/sdk';
import { readControlSettings, readInferenceSettings, readTrajectoryApiSettings } from '@lachesis/server';
import { buildInference, createLog } from '@lachesis/server/processes';
import { buildControl } from '../../../../packages/server/src/control/build.ts';
import { buildTrajectoryApi } from '../../../../packages/server/src/trajectory-api/build.ts';
import { createInferenceHttp } from '../../../../packages/server/src/http/inference-http.ts';
import { openStore, type Store } from '@lachesis/store';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { serveMcpHttp } from '../../../../packages/cli/src/commands/mcp/http.ts';
import { createMcpServer } from '../../../../packages/cli/src/mcp/create-mcp-server.ts';
import { createRewardRoutes } from '../../../../packages/server/src/reward/routes.ts';
import { openAuditLog } from '../../../../packages/server/src/http/audit/open-audit-log.ts';
import type { Route } from '../../../../packages/server/src/http/route.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { startDrippingModel } from './start-dripping-model.ts';

export type ServedRoute = Pick<Route, 'method' | 'path' | 'scope' | 'perRun' | 'runParameter'>;

/** A server on a socket, with what it says of itself. */
export interface Server {
  readonly name: 'trajectory-api' | 'inference' | 'control' | 'reward' | 'mcp';
  readonly url: string;
  readonly routes: readonly ServedRoute[];
  /** Whether a key may stand in the path. */
  readonly takesPathKeys: boolean;
  /** The one run it serves. */
  readonly run?: string;
  /** The one tenant it serves. */
  readonly tenant?: string;
}

export interface Servers {
  readonly home: string;
  readonly store: Store;
  readonly all: readonly Server[];
  find(name: Server['name']): Server;
  /** The routes with what they do, for who serves them otherwise. */
  readonly routes: { readonly 'trajectory-api': readonly Route[]; readonly control: readonly Route[] };
}

/** All five servers over one database, each on a socket of its own, joined as their processes join them. */
export async function openServers(context: ScenarioContext): Promise<Servers> {
  const home = await context.scratch();
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  context.defer(() => store.close());
  const log = createLog({ name: 'access', level: 'silent' });
  const base = { home, logLevel: 'silent' };
  const listen = async (app: { listen(place: object): Promise<string>; server: { address(): unknown } }) => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  };

  const { values: apiSettings } = readTrajectoryApiSettings({ ...base, ingestWorkers: 1, diskReserve: 0 }, {});
  const api = await buildTrajectoryApi({ settings: apiSettings, log, instanceId: 'access' });
  context.defer(() => api.close());

  const { values: controlSettings } = readControlSettings({ ...base, drainSeconds: 0.1 }, {});
  const control = await buildControl({
    ...{ settings: controlSettings, log, env: {} },
    replace: { runs: { ...standInForRuns, isSupervising: false } },
  });
  context.defer(() => control.close());
  const controlUrl = await listen(control.app);

  const model = await startDrippingModel();
  context.defer(() => model.close());
  const { values: inferenceSettings } = readInferenceSettings({ ...base, upstreamUrl: `${model.url}/v1` }, {});
  const inference = await buildInference({ settings: inferenceSettings, log });
  context.defer(() => inference.close());

  const audit = await openAuditLog({ store, home, by: 'reward', log });
  context.defer(() => audit.close());
  const scorer = { score: async () => 0.5, close: async () => undefined };
  const served = { name: 'taste@1', modelVersionId: null, weightsPath: 'tinker://taste' };
  const reward = createInferenceHttp({
    ...{ settings: inferenceSettings, store, registry: new Registry(), log, title: 'reward', audit },
    ...{ routes: createRewardRoutes({ scorer, served }), hasProvider: false, tenant: 'a' },
  });
  context.defer(() => reward.app.close());

  const all: Server[] = [
    { name: 'trajectory-api', url: await listen(api.app), routes: api.routes, takesPathKeys: false },
    { name: 'control', url: controlUrl, routes: control.routes, takesPathKeys: false },
    {
      ...{ name: 'inference', url: await listen(inference.app), routes: inference.routes, takesPathKeys: true },
      run: inferenceSettings.run,
    },
    { name: 'reward', url: await listen(reward.app), routes: reward.routes, takesPathKeys: false, tenant: 'a' },
    { name: 'mcp', url: await serveMcp(context, controlUrl), routes: MCP_ROUTES, takesPathKeys: false },
  ];
  return {
    ...{ home, store, all, routes: { 'trajectory-api': api.routes, control: control.routes } },
    find: (name) => all.find((server) => server.name === name)!,
  };
}

/** Streamable HTTP is one path; any good token may begin a session, and its tools may do what the token may. */
const MCP_ROUTES: readonly ServedRoute[] = (['POST', 'GET', 'DELETE'] as const).map((method) => ({
  ...{ method, path: '/mcp', scope: 'view', perRun: false },
}));

async function serveMcp(context: ScenarioContext, controlUrl: string): Promise<string> {
  const end = new AbortController();
  const ready = Promise.withResolvers<string>();
  const serving = serveMcpHttp({
    createServer: ({ token }) => {
      const client = createControlClient({ url: controlUrl, token });
      return createMcpServer({ client, tools: createRlTools({ client }), version: '1' });
    },
    ...{ controlUrl, host: '127.0.0.1', port: 0, signal: end.signal },
    onReady: (url) => ready.resolve(url),
  });
  context.defer(async () => {
    end.abort();
    await serving;
  });
  return (await ready.promise).replace(/\/mcp$/, '');
}

/** A run that is a row and nothing more: no process is started for it. */
const standInForRuns = {
  findEngineUrl: async () => undefined,
  configurator: (real: object) =>
    ({
      ...real,
      resolve: async () => ({
        ...{ environment: 'toy', config: { group_size: 4 }, environmentFile: {}, totalSteps: 9 },
        recipe: { env: {}, openai: [{}], tinker: {} },
        ...{ wandbProject: null, wandbRunName: 'toy-1' },
      }),
    }) as never,
  plan: () => () => Promise.reject(new Error('nothing is started here')),
};
