import { createControlClient, createRlTools, type RlTools } from '@lachesis/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';

import { createMcpServer } from '../../../../packages/cli/src/mcp/create-mcp-server.ts';
import { startFakeControl } from '../../../../packages/cli/src/mcp/fake-control.fixture.ts';
import { runControlClient } from '../../../peers/aiohttp/run-control-client.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkFacts } from '../check-facts.ts';
import { checkMcp } from '../check-mcp.ts';
import { FAKE_PLAN } from '../plans.ts';
import { startRelay, type RelayedReply } from '../start-relay.ts';

const CALL_MS = 60_000;

/** Servers that are wrong in one place each; every one has to be caught by the check that is there for it. */
const FAULTS: readonly {
  name: string;
  caughtBy: string;
  change: (call: string, reply: RelayedReply) => RelayedReply;
}[] = [
  {
    name: 'a start answered with 202',
    caughtBy: 'it got to its end',
    change: (call, reply) => (call === 'POST /runs' ? { ...reply, status: 202 } : reply),
  },
  {
    name: 'environments in a wrapper',
    caughtBy: 'environments are a plain list with four keys each',
    change: (call, reply) =>
      call === 'GET /environments' ? { ...reply, body: `{"environments":${reply.body}}` } : reply,
  },
  {
    name: 'an edit that is not checked',
    caughtBy: 'locked, unknown and wrongly typed edits are refused by name',
    change: (call, reply) =>
      call === 'POST /config' && reply.status !== 200 ? { status: 200, body: '{"message":"set"}' } : reply,
  },
];

/** Tools whose status breaks its own schema. */
function breakStatus(tools: RlTools): RlTools {
  const { run_id: _gone, ...value } = { run_id: '', status: 'running' };
  return {
    ...tools,
    rl_check_status: {
      ...tools.rl_check_status,
      run: async () => ({ isFailure: false, value: value as never, text: JSON.stringify(value) }),
    },
  };
}

export const faultsScenario: Scenario = {
  name: 'faults',
  title: 'servers that break one promise each are caught',
  async run(context) {
    for (const { name, caughtBy, change } of FAULTS) {
      await using control = await startFakeControl({ statusesToRunning: 1 });
      await using relay = await startRelay({ url: control.url, change });
      const facts = await runControlClient({
        url: relay.url,
        plan: FAKE_PLAN,
        cwd: await context.scratch(),
        timeoutMs: CALL_MS,
      });
      const isCaught = checkFacts(facts, FAKE_PLAN).some(([what, holds]) => what === caughtBy && !holds);
      context.report({ name, figure: isCaught ? 'caught' : 'passed', bar: 'caught', ok: isCaught });
    }
    await using control = await startFakeControl({ statusesToRunning: 1 });
    const client = createControlClient({ url: control.url });
    const server = createMcpServer({ client, tools: breakStatus(createRlTools({ client })), version: '1' });
    const agent = new Client({ name: 'conformance', version: '1.0.0' });
    const [left, right] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(left), agent.connect(right)]);
    const checks = await checkMcp(agent, FAKE_PLAN, context.log);
    await agent.close();
    const isCaught = checks.some(([what, holds]) => what === 'rl_check_status' && !holds);
    context.report({
      name: 'a tool that breaks its output schema',
      figure: isCaught ? 'caught' : 'passed',
      bar: 'caught',
      ok: isCaught,
    });
  },
};
