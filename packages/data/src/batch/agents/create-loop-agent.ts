import { type ChatMessage, type ChatToolCall, type Clock, isRecord } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import {
  type AgentModel,
  type AgentResult,
  type AgentTool,
  chooseToolsets,
  createToolRun,
  listDistribution,
  runAgent,
  SANDBOX_TOOLSETS,
  type ToolArguments,
  toOfferedTool,
} from '@lachesis/sdk/agent';
import type { SandboxProvider } from '@lachesis/sdk/sandbox';
import type { BatchAgent, BatchAnswer, BatchTask, BatchTurn } from '../batch-agent.ts';
import { BatchError } from '../batch-error.ts';
import type { BatchSettings } from '../batch-settings.ts';
import type { CostMeter } from '../cost-meter.ts';
import { drawNumbers } from '../draw-numbers.ts';
import { refuseMissing } from './open-batch-toolsets.ts';
import { openTaskSandbox } from './open-task-sandbox.ts';

type TokenUsage = AgentResult['usage'];

export interface LoopAgentOptions {
  settings: BatchSettings;
  /** Behind the gate. */
  model: AgentModel;
  meter: CostMeter;
  /** What can be offered; `terminal`, `file` and `code_execution` are there without it. */
  toolsets?: Readonly<Record<string, readonly AgentTool[]>>;
  /** What is to be configured for toolsets that are not there, as `openBatchToolsets` gives it. */
  missing?: Parameters<typeof refuseMissing>[1] | undefined;
  /** Makes the sandbox of an item, when a tool first needs it. */
  sandboxes: () => SandboxProvider;
  /** Whose sandboxes they are. */
  owner: string;
  /** US dollars of a reply; null where nobody knows. */
  findCost?: (usage: TokenUsage | undefined) => number | null;
  /** Aborted when no turn should be begun any more. */
  stopping: AbortSignal;
  clock?: Clock;
}

const noUsage = (): TokenUsage => ({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });

/**
 * Our own loop of model and tools, with the toolsets that are drawn for each item. Throws before the first item where the distribution
 * has toolsets that are not there, unless the settings allow it.
 */
export function createLoopAgent(options: LoopAgentOptions): BatchAgent {
  const { settings, meter, stopping, findCost = () => null } = options;
  const toolsets: Readonly<Record<string, readonly AgentTool[]>> = { ...SANDBOX_TOOLSETS, ...options.toolsets };
  const missing = listDistribution(settings).filter((toolset) => !Object.hasOwn(toolsets, toolset));
  const known = new Map((options.missing ?? []).map((each) => [each.toolset, each]));
  refuseMissing(
    settings,
    missing.map((toolset) => known.get(toolset) ?? { toolset, configure: 'hand its tools in as `toolsets`' }),
  );
  const remembering = new Set<AgentTool>([...(toolsets['memory'] ?? []), ...(toolsets['todo'] ?? [])]);
  const inSandbox = new Set<AgentTool>(Object.values(SANDBOX_TOOLSETS).flat());
  const begin: ChatMessage[] = [
    ...(settings.ephemeral_system_prompt === undefined
      ? []
      : [{ role: 'system', content: settings.ephemeral_system_prompt }]),
    ...settings.prefill_messages,
  ];

  const choose = (index: number) =>
    chooseToolsets({
      toolsets,
      draw: {
        ...{ distribution: settings.distribution, distributions: settings.distributions },
        next: drawNumbers(settings.seed, index),
      },
    });

  const run = async (task: BatchTask): Promise<BatchAnswer> => {
    const { toolsets: drawn, tools } = choose(task.index);
    const question: ChatMessage = { role: 'user', content: task.input.prompt };
    const replayed = task.turns.flatMap(({ messages }) => messages);
    const last = task.turns.at(-1);
    const spent = sumUp(task.turns);
    const answerOf = (result: Pick<AgentResult, 'messages' | 'reason'>): BatchAnswer => ({
      messages: result.messages,
      tools: tools.map(toOfferedTool),
      toolsets_used: [...drawn],
      completed: result.reason === 'answered',
      partial: result.reason === 'cut-off',
      reason: result.reason,
      api_calls: spent.calls,
      usage: spent.usage,
      cost: spent.cost,
      ...(missing.length === 0 ? {} : { missing_toolsets: missing }),
      ...(box.differences() === 0 ? {} : { rebuilt_differently: box.differences() }),
    });
    const box = openTaskSandbox({
      ...{ provider: options.sandboxes, owner: options.owner, task, sandbox: settings.sandbox, tools },
      calls: findCalls(
        task.turns,
        tools.filter((tool) => inSandbox.has(tool)),
      ),
    });
    const tooling = createToolRun();

    let pending: Omit<BatchTurn, 'messages'> | undefined;
    let kept = 1 + replayed.length;
    const recordTurn = async (messages: readonly ChatMessage[]): Promise<void> => {
      if (pending === undefined) return;
      const turn = { ...pending, messages: messages.slice(kept) };
      kept = messages.length;
      pending = undefined;
      await task.onTurn(turn);
    };
    const model: AgentModel = async (asked) => {
      await recordTurn(asked.messages);
      if (stopping.aborted) throw new BatchError({ kind: 'released', what: 'The work was ended between two turns' });
      const reply = await options.model({ ...asked, messages: [...begin, ...asked.messages] });
      const cost = findCost(reply.usage);
      meter.add(cost);
      pending = { finish_reason: reply.finishReason, usage: toUsage(reply.usage), cost };
      spent.add(pending);
      return reply;
    };

    try {
      // The last reply may be there already: then only the end of the item was lost.
      if (last !== undefined && isLastTurn(last)) {
        return answerOf({
          messages: [question, ...replayed],
          reason: last.finish_reason === 'length' ? 'cut-off' : 'answered',
        });
      }
      const left = settings.max_turns - task.turns.length;
      if (left <= 0) return answerOf({ messages: [question, ...replayed], reason: 'max-turns' });
      // What was remembered in this process is remembered again.
      const notes = findCalls(
        task.turns,
        tools.filter((tool) => remembering.has(tool)),
      );
      for (const { tool, args } of notes) {
        // A call that was refused then is refused again.
        await tool.execute(args, { signal: task.signal, callId: '', run: tooling }).catch(() => undefined);
      }
      const result = await runAgent({
        ...{ model, tools, messages: [question, ...replayed], limits: { maxTurns: left }, signal: task.signal },
        sandbox: () => box.open(),
        run: tooling,
        // They are in a sandbox, or were handed in for this job.
        approve: async () => undefined,
        ...(options.clock === undefined ? {} : { clock: options.clock }),
      });
      if (result.reason === 'aborted') throw new BatchError({ kind: 'released', what: 'The work was ended' });
      if (result.reason === 'model-failed') throw toFailure(result.error);
      if (result.reason === 'empty-reply') {
        throw new BatchError({
          ...{ kind: 'attempt', what: 'The model said nothing and called nothing', isStartingOver: true },
          cost: pending?.cost ?? 0,
        });
      }
      return answerOf(result);
    } finally {
      // What a tool could not close is no reason to lose the row.
      await tooling.end().catch(() => undefined);
      await box.close();
    }
  };
  return { run };
}

function toFailure(error: Error | undefined): BatchError {
  if (BatchError.isInstance(error)) return error;
  // After a refusal such as "too long" the same conversation would be refused again.
  const isStartingOver = ClientError.isInstance(error) && !error.retryable;
  return new BatchError({ kind: 'attempt', what: error?.message ?? 'The model failed', isStartingOver, cause: error });
}

const isLastTurn = ({ messages }: BatchTurn): boolean => (messages[0]?.tool_calls ?? []).length === 0;

/** Calls of these tools, whose effects went with the process that made them, with what they answered. */
function findCalls(
  turns: readonly BatchTurn[],
  tools: readonly AgentTool[],
): { tool: AgentTool; args: ToolArguments; answer: string }[] {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  return turns.flatMap(({ messages }) => {
    const answers = new Map(messages.map(({ tool_call_id: id, content }) => [id, content]));
    return (messages[0]?.tool_calls ?? []).flatMap((call) => {
      const tool = known.get(call.function.name);
      const args = readArguments(call);
      const answer = answers.get(call.id);
      return tool === undefined || args === undefined
        ? []
        : [{ tool, args, answer: typeof answer === 'string' ? answer : '' }];
    });
  });
}

function readArguments({ function: { arguments: text } }: ChatToolCall): ToolArguments | undefined {
  try {
    const args: unknown = JSON.parse(text === '' ? '{}' : text);
    return isRecord(args) ? args : undefined;
  } catch {
    // It was answered with an error and changed nothing.
    return undefined;
  }
}

function toUsage(usage: TokenUsage | undefined): TokenUsage | null {
  if (usage === undefined) return null;
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  return { prompt_tokens, completion_tokens, total_tokens };
}

function sumUp(turns: readonly BatchTurn[]) {
  const sum = {
    calls: 0,
    usage: noUsage(),
    cost: null as number | null,
    add({ usage, cost }: Pick<BatchTurn, 'cost' | 'usage'>): void {
      sum.calls += 1;
      if (usage !== null) for (const name of Object.keys(usage) as (keyof TokenUsage)[]) sum.usage[name] += usage[name];
      if (cost !== null) sum.cost = (sum.cost ?? 0) + cost;
    },
  };
  for (const turn of turns) sum.add(turn);
  return sum;
}
