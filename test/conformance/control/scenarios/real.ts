import { join } from 'node:path';

import { chooseSlice } from '../../../kit/choose-slice.ts';
import { reportAnswers } from '../../../kit/report-answers.ts';
import { startEnginePeer } from '../../../peers/engine/start-engine-peer.ts';
import { runControlClient } from '../../../peers/aiohttp/run-control-client.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { checkFacts } from '../check-facts.ts';
import { checkMcp } from '../check-mcp.ts';
import { connectMcp } from '../connect-mcp.ts';
import { REAL_PLAN } from '../plans.ts';
import { reportChecks } from '../report-checks.ts';
import { startControl, type Control } from '../start-control.ts';

const CLIENT_MS = 240_000;

export const realScenario: Scenario = {
  name: 'real',
  title: 'the aiohttp client and the official MCP client each start, watch and stop a run on the real engine',
  async run(context) {
    const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
    context.defer(() => engine.stop());
    const answers = join(await context.scratch(), 'answers');
    const control = await startControl({ engineUrl: engine.url, home: await context.scratch(), answers });
    context.defer(() => stopAll(control, context));
    const facts = await runControlClient({
      url: control.url,
      plan: REAL_PLAN,
      cwd: await context.scratch(),
      timeoutMs: CLIENT_MS,
    });
    if (facts.failure !== undefined) context.log(facts.failure);
    const checks = checkFacts(facts, REAL_PLAN);
    if (checks.some(([, holds]) => !holds)) context.log(JSON.stringify(Object.fromEntries(facts.facts)));
    reportChecks(context, `aiohttp ${String(facts.facts.get('aiohttp'))}, real run`, checks);
    const transports = ['stdio', 'http'] as const;
    // The short form takes the one that the commit chooses; `control/mcp` has every tool over both.
    for (const transport of context.full ? transports : chooseSlice(transports, 1)) {
      await using connection = await connectMcp(transport, { url: control.url, cwd: await context.scratch() });
      reportChecks(
        context,
        `MCP over ${transport}, real run`,
        await checkMcp(connection.client, REAL_PLAN, context.log),
      );
    }
    await reportAnswers(context, answers);
  },
};

/** The processes of a run outlive their server, so every run is ended before the server is. */
async function stopAll(control: Control, { log }: ScenarioContext): Promise<void> {
  try {
    const { runs } = (await (await fetch(`${control.url}/runs`)).json()) as {
      runs: { run_id: string; status: string }[];
    };
    const isOpen = (status: string): boolean => !['stopped', 'completed', 'failed'].includes(status);
    for (const { run_id: runId } of runs.filter(({ status }) => isOpen(status))) {
      await fetch(`${control.url}/runs/${runId}/stop`, { method: 'POST' });
      for (let tries = 0; tries < 40; tries += 1) {
        const { status } = (await (await fetch(`${control.url}/runs/${runId}`)).json()) as { status: string };
        if (!isOpen(status)) break;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  } catch (error) {
    log(`the runs could not be ended: ${String(error)}\n${control.process.logs().slice(-2_000)}`);
  }
  await control[Symbol.asyncDispose]();
}
