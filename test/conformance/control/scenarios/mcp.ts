import { startFakeControl } from '../../../../packages/cli/src/mcp/fake-control.fixture.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkMcp } from '../check-mcp.ts';
import { connectMcp } from '../connect-mcp.ts';
import { FAKE_PLAN } from '../plans.ts';
import { reportChecks } from '../report-checks.ts';

export const mcpScenario: Scenario = {
  name: 'mcp',
  title: 'the official MCP client calls every tool of `lachesis mcp` over stdio and streamable HTTP',
  async run(context) {
    for (const transport of ['stdio', 'http'] as const) {
      await using control = await startFakeControl({ token: 'of-the-control-server', statusesToRunning: 2 });
      await using connection = await connectMcp(transport, {
        url: control.url,
        token: 'of-the-control-server',
        cwd: await context.scratch(),
      });
      const checks = await checkMcp(connection.client, FAKE_PLAN, context.log);
      reportChecks(context, `MCP over ${transport}, stand-in server`, checks);
    }
  },
};
