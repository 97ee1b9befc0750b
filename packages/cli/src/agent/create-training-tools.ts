import type { RunEstimate } from '@lachesis/protocol';
import { createRlTools, type ControlClient, type RlToolsOptions } from '@lachesis/sdk';
import { toAgentTools, type AgentTool, type ToolArguments } from '@lachesis/sdk/agent';

/** The ten tools, with what the person should know before allowing one. */
export function createTrainingTools(options: RlToolsOptions): AgentTool[] {
  const previews: Record<string, (args: ToolArguments) => Promise<string>> = {
    rl_start_training: () => previewStart(options.client),
    rl_stop_training: async ({ run_id: runId }) => previewStop(options.client, runId),
  };
  return toAgentTools(createRlTools(options)).map((tool) => ({ ...tool, preview: previews[tool.name] }));
}

/** Not knowing the price is a thing to be told, and no reason not to ask. */
async function previewStart(client: ControlClient): Promise<string> {
  const [config, estimate] = await Promise.allSettled([client.readConfig(), client.estimateRun()]);
  const environment = config.status === 'fulfilled' ? config.value['environment'] : undefined;
  return [
    `starts a run${typeof environment === 'string' ? ` on ${environment}` : ''}`,
    estimate.status === 'fulfilled'
      ? describeEstimate(estimate.value)
      : 'what it takes is not known: there is no estimate',
  ].join('\n');
}

function describeEstimate(estimate: RunEstimate): string {
  const { steps, rollouts, tokens, seconds, cost, budget, max_tokens: maxTokens } = estimate;
  const parts = [`${steps} steps`, `${rollouts} rollouts`, `at most ${tokens.toLocaleString('en')} tokens`];
  if (seconds !== null)
    parts.push(seconds < 120 ? `about ${Math.ceil(seconds)} s` : `about ${Math.round(seconds / 60)} minutes`);
  parts.push(cost === null ? 'no price is known' : `about ${cost.toFixed(2)} US dollars`);
  if (budget !== null && budget !== undefined) parts.push(`it ends itself at ${budget.toFixed(2)} US dollars`);
  // A limit of steps is in the steps already.
  if (maxTokens !== null && maxTokens !== undefined)
    parts.push(`it ends itself at ${maxTokens.toLocaleString('en')} tokens`);
  return parts.join(', ');
}

async function previewStop(client: ControlClient, runId: unknown): Promise<string> {
  if (typeof runId !== 'string') return 'ends a run';
  const run = await client.readRun(runId).catch(() => undefined);
  if (run === undefined) return `ends run ${runId}`;
  const step = run.metrics?.step;
  return `ends run ${runId} on ${run.environment}, ${run.status} for ${Math.round(run.running_time_minutes)} minutes${step === undefined ? '' : `, at step ${step}`}`;
}
