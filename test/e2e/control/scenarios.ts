import { RL_TOOL_NAMES } from '@lachesis/protocol';
import { createControlClient, createRlTools, type RlTools } from '@lachesis/sdk';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { startRelay, type RelayedReply } from '../../conformance/control/start-relay.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { makeHome } from '../demo/demo-home.ts';
import { downloadWeights } from './download-weights.ts';
import { endStack } from './end-stack.ts';
import { followRun } from './follow-run.ts';
import { judgeRun, type Check } from './judge-run.ts';
import { runScriptedAgent } from './run-scripted-agent.ts';
import { scriptTrainingRun } from './script-training-run.ts';
import { ENVIRONMENT, LORA_RANK, startStack, STEPS, type Stack } from './start-stack.ts';
import { trainByTools } from './train-by-tools.ts';

const RUN_MS = 120_000;
/** A server that is stuck is waited for no longer. */
const STUCK_MS = 3_000;
const MOST_TOKENS = 50;

interface Place {
  readonly stack: Stack;
  readonly home: string;
  readonly project: string;
}

const toolsAt = (url: string): RlTools => createRlTools({ client: createControlClient({ url }) });

/** `pnpm e2e control`: an empty home, one command, and runs to their end through the tools and through the agent. */
export const scenarios: Scenario[] = [
  {
    name: 'runs',
    title: 'from an empty home: up, then a whole run through the ten tools and one through `lachesis agent`',
    async run(context) {
      const startedAt = performance.now();
      const scratch = await context.scratch();
      const project = join(scratch, 'project');
      await mkdir(project);
      const home = await makeHome(scratch, { isEmpty: context.full });
      const stack = await startStack({ home, project });
      context.defer(() => endStack(stack, context.log));
      context.log(`up after ${secondsSince(startedAt)} s`);
      const place = { stack, home, project };
      const first = await showTools(context, place);
      // Most of a run is waiting for processes to come up, so that two at once take little longer than one.
      const [second] = await Promise.all([showAgent(context, place), showLimit(context, place)]);
      await showFaults(context, place, { first, second });
      context.log(`done after ${secondsSince(startedAt)} s`);
    },
  },
];

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1);

function reportChecks(context: ScenarioContext, name: string, checks: readonly Check[]): void {
  const broken = checks.flatMap(([what, holds]) => (holds ? [] : what));
  context.report({
    name,
    figure: broken.length === 0 ? `${checks.length} checks hold` : `not so: ${broken.join('; ')}`,
    bar: 'all hold',
    ok: broken.length === 0,
  });
}

async function showTools(context: ScenarioContext, { stack, home, project }: Place): Promise<string> {
  const training = await trainByTools({
    tools: toolsAt(stack.controlUrl),
    ...{ environment: ENVIRONMENT, edit: { field: 'group_size', value: 4 }, timeoutMs: RUN_MS, log: context.log },
  });
  const { runId, used, test, listed, lateStop } = training;
  const scores = test.results ?? [];
  reportChecks(context, 'ten tools', [
    ...(await judgeRun(training, { home, steps: STEPS })),
    ['all ten tools were used', RL_TOOL_NAMES.every((name) => used.has(name))],
    ['its policy answered and was scored while it was trained', scores.length === 2],
    ['it is listed', listed],
    ['a stop after the end changes nothing', lateStop === 'completed'],
  ]);
  const weights = await downloadWeights({ stack, home, project, runId, rank: LORA_RANK });
  context.report({ name: 'weights of the run of the tools', bar: 'a PEFT folder that was trained', ...weights });
  return runId;
}

async function showAgent(context: ScenarioContext, { stack, home, project }: Place): Promise<string> {
  const { exitCode, result, conversation } = await runScriptedAgent({
    ...{ controlUrl: stack.controlUrl, home, project, timeoutMs: RUN_MS, args: ['--yes', '--max-turns', '300'] },
    script: scriptTrainingRun({ environment: ENVIRONMENT, edits: { group_size: 8 }, pauseSeconds: 2 }),
  });
  const said = (result.text === '' ? {} : JSON.parse(result.text)) as { run_id?: string; status?: string };
  const runId = said.run_id ?? '';
  if (runId === '') {
    context.log(JSON.stringify(conversation.slice(-4)));
    throw new Error(`the agent names no run: ${result.error ?? result.text}`);
  }
  const followed = await followRun({ tools: toolsAt(stack.controlUrl), runId, timeoutMs: STUCK_MS });
  reportChecks(context, 'lachesis agent', [
    ['the agent ended well', exitCode === 0 && result.reason === 'answered'],
    ['it says that the run completed', said.status === 'completed'],
    ['it recorded itself', result.trajectory !== null],
    ...(await judgeRun({ ...followed, runId }, { home, steps: STEPS })),
  ]);
  const weights = await downloadWeights({ stack, home, project, runId, rank: LORA_RANK });
  context.report({ name: 'weights of the run of the agent', bar: 'a PEFT folder that was trained', ...weights });
  return runId;
}

/** The limit is passed with the first groups, long before the last step. */
async function showLimit(context: ScenarioContext, { stack }: Place): Promise<void> {
  const { run_id: runId } = await createControlClient({ url: stack.controlUrl }).startRun({ max_tokens: MOST_TOKENS });
  const { last } = await followRun({ tools: toolsAt(stack.controlUrl), runId, timeoutMs: RUN_MS, log: context.log });
  const isLimited = last?.status === 'stopped' && last.reason?.includes(`limit of ${MOST_TOKENS} tokens`) === true;
  context.report({
    name: 'run with a limit of tokens',
    figure: `${last?.status ?? 'goes on'}: ${last?.reason ?? ''}`,
    bar: `stopped, by its limit of ${MOST_TOKENS} tokens`,
    ok: isLimited,
  });
}

/** Control servers that tell something else than what happened; each must be caught by the check that is there for it. */
async function showFaults(
  context: ScenarioContext,
  { stack, home }: Place,
  { first, second }: { first: string; second: string },
): Promise<void> {
  const faults: { name: string; caughtBy: string; change: (call: string, reply: RelayedReply) => RelayedReply }[] = [
    {
      name: 'mutant whose status stays at an old state',
      caughtBy: 'it completed',
      change: (call, reply) =>
        call === `GET /runs/${first}` ? { ...reply, body: reply.body.replace('"completed"', '"running"') } : reply,
    },
    {
      name: 'mutant that gives the weights of another run',
      caughtBy: 'the weights are those its trainer saved last',
      change: (call, reply) => (call === `GET /runs/${first}/metrics` ? withWeightsOf(other, reply) : reply),
    },
    {
      name: 'mutant without what the environment measured',
      caughtBy: 'reward, loss and the share of right answers are told',
      change: (call, reply) =>
        call === `GET /runs/${first}` ? { ...reply, body: reply.body.replace('"percent_correct"', '"gone"') } : reply,
    },
  ];
  const { weights_path: other } = await createControlClient({ url: stack.controlUrl }).readMetrics(second);
  for (const { name, caughtBy, change } of faults) {
    await using relay = await startRelay({ url: stack.controlUrl, change });
    const followed = await followRun({ tools: toolsAt(relay.url), runId: first, timeoutMs: STUCK_MS });
    const checks = await judgeRun({ ...followed, runId: first }, { home, steps: STEPS });
    const isCaught = checks.some(([what, holds]) => what === caughtBy && !holds);
    context.report({ name, figure: isCaught ? 'caught' : 'passed', bar: 'caught', ok: isCaught });
  }
}

function withWeightsOf(path: string | null, reply: RelayedReply): RelayedReply {
  const told = JSON.parse(reply.body) as Record<string, unknown>;
  return { ...reply, body: JSON.stringify({ ...told, weights_path: path }) };
}
