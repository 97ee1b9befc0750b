import { join } from 'node:path';

import { openStore } from '@lachesis/store';
import { createLog } from '@lachesis/server/processes';
import { createInferenceHttp } from '../../../../packages/server/src/http/inference-http.ts';

import { createRewardRoutes } from '../../../../packages/server/src/reward/routes.ts';

/** The reward server with a model that counts letters: its routes are the real ones, and it needs no engine. */
const [home = '', port = '0'] = process.argv.slice(2);
const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
const log = createLog({ name: 'reward', level: 'error' });
const { app } = createInferenceHttp({
  settings: {
    ...{ host: '127.0.0.1', allowHosts: [], allowOrigins: [], maxBodyBytes: 16 * 1024 ** 2 },
    ...{ bodyBudgetBytes: 128 * 1024 ** 2, requestsPerSecond: 1e6, bytesPerSecond: 1e12, openRequests: 1e5 },
    openStreams: 100,
  },
  ...{ store, log, audit: { observe: () => undefined } },
  routes: createRewardRoutes({
    scorer: { score: async ({ messages }) => JSON.stringify(messages).length, close: async () => undefined },
    served: { name: 'letters@1', modelVersionId: null, weightsPath: 'none' },
  }),
  title: 'reward',
  hasProvider: false,
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
