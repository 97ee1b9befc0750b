import { createControlClient, createRlTools } from '@lachesis/sdk';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectMcp } from '../../conformance/control/connect-mcp.ts';

const FINAL = new Set(['completed', 'stopped', 'failed']);
const LOOK_EVERY_MS = 500;
/** What a policy has to answer after its run goes on; the run waits that long for who looks at it. */
const ANSWER_MS = 60_000;

export interface TrainedRun {
  readonly runId: string;
  readonly status: string;
  readonly reason: string | null;
  /** As its own tenant is told. */
  readonly step: number;
  readonly weightsPath: string | null;
  /** What the policy said while it was trained. */
  readonly tested: number;
}

type Call = (name: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>;

export interface TrainOptions {
  readonly controlUrl: string;
  readonly token: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
  /** Called once, when the run goes on and its policy has answered. */
  readonly whileRunning: (runId: string) => Promise<void>;
}

/** A whole run through the tools as functions, which speak HTTP. */
export async function trainByHttp(options: TrainOptions): Promise<TrainedRun> {
  const tools = createRlTools({ client: createControlClient({ url: options.controlUrl, token: options.token }) });
  return await train(options, async (name, input) => {
    const tool = tools[name as keyof typeof tools] as {
      run: (given: unknown) => Promise<{ isFailure: boolean; value: unknown; text: string }>;
    };
    const answer = await tool.run(input);
    if (answer.isFailure) throw new Error(`${name}: ${answer.text}`);
    return answer.value as Record<string, unknown>;
  });
}

/** The same through `lachesis mcp`. */
export async function trainByMcp(options: TrainOptions): Promise<TrainedRun> {
  const { controlUrl: url, token, cwd } = options;
  await using connection = await connectMcp('http', { url, token, cwd });
  return await train(options, async (name, input) => {
    const reply = await connection.client.callTool({ name, arguments: input });
    const [content] = reply.content as { text: string }[];
    if (reply.isError === true) throw new Error(`${name}: ${content?.text}`);
    return JSON.parse(content?.text ?? 'null') as Record<string, unknown>;
  });
}

async function train(options: TrainOptions, call: Call): Promise<TrainedRun> {
  const { timeoutMs, log } = options;
  await call('rl_select_environment', { name: 'watched' });
  const { run_id: runId } = (await call('rl_start_training', {})) as { run_id: string };
  const until = performance.now() + timeoutMs;
  let told = '';
  let tested = 0;
  let watching: Promise<void> | undefined;
  let answerUntil: number | undefined;
  for (;;) {
    // The tool gives the last answer again to who asks too often; the client underneath is not held back by that.
    const status = await createControlClient({ url: options.controlUrl, token: options.token }).readRun(runId);
    if (status.status !== told) log(`run ${runId} is ${(told = status.status)}: ${status.reason ?? ''}`);
    if (status.status === 'running') {
      answerUntil ??= performance.now() + ANSWER_MS;
      tested ||= await testPolicy(call, runId).catch(() => 0);
      // Once it was looked at the run goes on to its end, and nothing answers any more.
      if (tested > 0 || performance.now() > answerUntil) watching ??= options.whileRunning(runId);
    }
    if (FINAL.has(status.status) || performance.now() > until) {
      await watching;
      const metrics = (await call('rl_get_results', { run_id: runId })) as { weights_path?: string | null };
      return {
        ...{ runId, status: status.status, reason: status.reason, step: status.metrics.step, tested },
        weightsPath: metrics.weights_path ?? null,
      };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** How many prompts the run's own policy answered; a policy that is not served yet answers none. */
async function testPolicy(call: Call, runId: string): Promise<number> {
  const test = (await call('rl_test_inference', { prompts: ['Write 1.'], max_tokens: 4, run_id: runId })) as {
    results?: { response: string | null }[];
  };
  return (test.results ?? []).filter(({ response }) => response !== null).length;
}
