import type { ControlConfig, Redactor, RunEstimate } from '@lachesis/protocol';
import { createRlTools, type ControlClient } from '@lachesis/sdk';
import { toAgentTools, ToolError, type AgentTool, type ToolArguments } from '@lachesis/sdk/agent';

type RlToolsOptions = Parameters<typeof createRlTools>[0];

export interface TrainingToolsOptions extends RlToolsOptions {
  /** Logs and rollouts hold what strangers and models wrote: secrets are taken out before a model reads them. */
  redactor?: Pick<Redactor, 'redactText'> | undefined;
}

/** The ten tools, with what the person should know before allowing one. */
export function createTrainingTools({ redactor, ...options }: TrainingToolsOptions): AgentTool[] {
  const previews: Record<string, (args: ToolArguments) => Promise<string>> = {
    rl_edit_config: (args) => previewEdit(options.client, args),
    rl_test_inference: (args) => previewTest(options.client, args),
    rl_start_training: () => previewStart(options.client),
    rl_stop_training: async ({ run_id: runId }) => previewStop(options.client, runId),
  };
  return toAgentTools(createRlTools(options)).map((tool) => ({
    ...tool,
    preview: previews[tool.name],
    execute: async (args, context) => {
      if (redactor === undefined) return await tool.execute(args, context);
      try {
        const answer = await tool.execute(args, context);
        return typeof answer === 'string' ? redactor.redactText(answer).text : answer;
      } catch (error) {
        if (!ToolError.isInstance(error) || error.answer === undefined) throw error;
        const { what, answer, cause } = error;
        throw new ToolError({ what, answer: redactor.redactText(answer).text, cause });
      }
    },
  }));
}

async function previewEdit(client: ControlClient, { field, value }: ToolArguments): Promise<string> {
  const config = await client.readConfig().catch(() => undefined);
  const found = config?.configurable_fields.find(({ name }) => name === field);
  const kind = found?.kind === undefined || found.kind === 'value' ? '' : ` (${found.kind})`;
  return `sets a field of the next run\n${String(field)}${kind}: ${found === undefined ? 'not known' : show(found.current_value)} → ${show(value)}`;
}

async function previewTest(client: ControlClient, args: ToolArguments): Promise<string> {
  const config = await client.readConfig().catch(() => undefined);
  return [`tests ${JSON.stringify(args)}${describeEnvironment(config)}`, ...describeEdits(config)].join('\n');
}

const describeEnvironment = (config: ControlConfig | undefined): string =>
  typeof config?.environment === 'string' ? ` on ${config.environment}` : '';

/** What differs from the recipe and the environment's own defaults, each as old → new. */
function describeEdits(config: ControlConfig | undefined): string[] {
  if (config === undefined) return ['which fields were edited is not known: the configuration cannot be read'];
  const edited = config.configurable_fields.filter(
    ({ default: old, current_value: value }) => JSON.stringify(old ?? null) !== JSON.stringify(value ?? null),
  );
  if (edited.length === 0) return ['no field was edited'];
  return [
    'with these edits:',
    ...edited.map((field) => `  ${field.name}: ${show(field.default)} → ${show(field.current_value)}`),
  ];
}

const LONGEST_SHOWN = 300;

function show(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`;
}

/** Not knowing the price is a thing to be told, and no reason not to ask. */
async function previewStart(client: ControlClient): Promise<string> {
  const [config, estimate] = await Promise.allSettled([client.readConfig(), client.estimateRun()]);
  const known = config.status === 'fulfilled' ? config.value : undefined;
  return [
    `starts a run${describeEnvironment(known)}`,
    ...describeEdits(known),
    estimate.status === 'fulfilled'
      ? describeEstimate(estimate.value)
      : 'what it takes is not known: there is no estimate',
  ].join('\n');
}

function describeEstimate(estimate: RunEstimate): string {
  const { steps, rollouts, tokens, cost, budget, max_tokens: maxTokens } = estimate;
  const parts = [`${steps} steps`, `${rollouts} rollouts`, `at most ${tokens.toLocaleString('en')} tokens`];
  parts.push(describeTime(estimate));
  parts.push(cost === null ? 'cost unknown: no price is known' : `at most ${cost.toFixed(2)} US dollars`);
  if (budget !== null && budget !== undefined) parts.push(`it ends itself at ${budget.toFixed(2)} US dollars`);
  // A limit of steps is in the steps already.
  if (maxTokens !== null && maxTokens !== undefined)
    parts.push(`it ends itself at ${maxTokens.toLocaleString('en')} tokens`);
  return parts.join(', ');
}

function describeTime({ seconds, seconds_low: low, seconds_high: high }: RunEstimate): string {
  if (seconds === null) return 'time unknown: no run like it has ended here';
  const say = (value: number): string => (value < 120 ? `${Math.ceil(value)} s` : `${Math.round(value / 60)} minutes`);
  const hasRange = typeof low === 'number' && typeof high === 'number' && say(low) !== say(high);
  return hasRange ? `${say(low)} to ${say(high)}` : `about ${say(seconds)}`;
}

async function previewStop(client: ControlClient, runId: unknown): Promise<string> {
  if (typeof runId !== 'string') return 'ends a run';
  const run = await client.readRun(runId).catch(() => undefined);
  if (run === undefined) return `ends run ${runId}`;
  const step = run.metrics?.step;
  return `ends run ${runId} on ${run.environment}, ${run.status} for ${Math.round(run.running_time_minutes)} minutes${step === undefined ? '' : `, at step ${step}`}`;
}
