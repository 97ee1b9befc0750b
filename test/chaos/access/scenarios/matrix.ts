import type { Scenario } from '../../../scenarios/scenario.ts';
import { makeCredentials } from '../matrix/make-credentials.ts';
import { walkMatrix } from '../matrix/walk-matrix.ts';
import { openServers } from '../subject/open-servers.ts';

export const matrixScenario: Scenario = {
  name: 'matrix',
  title: 'every route of every server with every credential, over sockets, as the routes declare',
  async run(context) {
    const servers = await openServers(context);
    const credentials = await makeCredentials(servers.store);
    let all = 0;
    let right = 0;
    for (const server of servers.all) {
      const { cells, wrong } = await walkMatrix(server, credentials);
      for (const line of wrong.slice(0, 20)) context.log(line);
      all += cells;
      right += cells - wrong.length;
      context.report({
        name: `${server.name}, ${server.routes.length} routes × ${credentials.length} credentials`,
        figure: `${cells - wrong.length} of ${cells} right`,
        bar: 'all',
        ok: wrong.length === 0 && cells > 0,
      });
    }
    context.report({ name: 'all servers', figure: `${right} of ${all} right`, bar: 'all', ok: right === all });
  },
};
