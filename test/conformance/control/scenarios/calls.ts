import { startFakeControl } from '../../../../packages/cli/src/mcp/fake-control.fixture.ts';
import { runControlClient } from '../../../peers/aiohttp/run-control-client.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkFacts } from '../check-facts.ts';
import { FAKE_PLAN } from '../plans.ts';
import { reportChecks } from '../report-checks.ts';

export const callsScenario: Scenario = {
  name: 'calls',
  title: 'an aiohttp client that takes 200 alone: list, select, edit, start, status, stop, results',
  async run(context) {
    await using control = await startFakeControl({ statusesToRunning: 2 });
    const facts = await runControlClient({
      url: control.url,
      plan: FAKE_PLAN,
      cwd: await context.scratch(),
      timeoutMs: 60_000,
    });
    if (facts.failure !== undefined) context.log(facts.failure);
    reportChecks(context, 'aiohttp, stand-in server', checkFacts(facts, FAKE_PLAN));
  },
};
