import { createSlots } from '@lachesis/protocol';
import type { AgentTool } from '../../agent/agent-tool.ts';
import { createToolRun } from '../../agent/tool-run.ts';
import { SANDBOX_TOOLSETS } from '../../agent/tools/sandbox-toolsets.ts';
import type { ToolsetDistribution } from '../../agent/toolsets/toolset-distributions.ts';
import type { CreateSandbox, Sandbox, SandboxProvider } from '../../sandbox/sandbox.ts';
import { createRandom, type Random } from '../create-random.ts';
import type { OpenedEnvironment, RewardReply, RolloutContext } from '../definition.ts';
import { rescored, type Outcome } from '../outcome.ts';
import type { RolloutResult } from '../rollout/rollout-result.ts';
import { gradeResult } from '../rollout/run-rollouts.ts';
import type { Drawn, Split } from '../split.ts';
import type { AgentConfig } from './agent-config.ts';
import { createAgentContext, type AgentContext } from './agent-context.ts';
import { isAgentRolloutResult, summariseAgentRun, type AgentRolloutResult } from './agent-result.ts';
import { gradeInCleanSandbox } from './grade-in-clean-sandbox.ts';
import { holdSandbox, type HeldSandbox } from './hold-sandbox.ts';
import { lendSandbox } from './lend-sandbox.ts';
import { measureAgents } from './measure-agents.ts';
import { openAgentToolsets } from './open-agent-toolsets.ts';
import { openSandboxProvider } from './open-sandbox-provider.ts';
import { resolveTools } from './resolve-tools.ts';
import { runAgentRollout } from './run-agent-rollout.ts';

/** A rollout that is offered one of these will most likely need its sandbox. */
const SANDBOX_TOOLS: ReadonlySet<AgentTool> = new Set(Object.values(SANDBOX_TOOLSETS).flat());

/** What a sandbox of one item is made from. */
export type SandboxOptions = Pick<CreateSandbox, 'folder' | 'image' | 'limits' | 'env'>;

/** What an agent environment is besides an environment; items travel untyped between the functions of one author. */
export interface AgentLoopParts {
  readonly name: string;
  /** Own tools of an item. */
  readonly listOwnTools: (
    item: unknown,
    context: RolloutContext,
  ) => readonly AgentTool[] | Promise<readonly AgentTool[]>;
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  readonly distributions: Readonly<Record<string, ToolsetDistribution>>;
  readonly defaultToolsets: readonly string[];
  /** Default: the backend of the configuration. */
  readonly sandboxes?: SandboxProvider | undefined;
  readonly sandboxOf: (item: unknown, context: RolloutContext) => SandboxOptions | undefined;
  /** Puts the task into a new sandbox: that of the agent, and the clean one. */
  readonly prepare: (item: unknown, sandbox: Sandbox, context: RolloutContext) => Promise<void>;
  readonly computeReward: (
    item: unknown,
    result: AgentRolloutResult,
    context: AgentContext,
  ) => RewardReply | Promise<RewardReply>;
  readonly newMark?: (() => string) | undefined;
}

/** Gives an opened environment the loop of model and tools in place of single turns. Throws where tools that it promises are not there. */
export async function addAgentLoop(opened: OpenedEnvironment, parts: AgentLoopParts): Promise<OpenedEnvironment> {
  const { agent_temperature: temperature } = opened.config as unknown as AgentConfig;
  const config = { ...opened.config, ...(temperature === null ? {} : { temperature }) } as OpenedEnvironment['config'] &
    AgentConfig;
  const { newMark = () => crypto.randomUUID() } = parts;
  const slots = createSlots(config.max_sandboxes);
  let own: SandboxProvider | undefined;
  const provider = (): SandboxProvider => {
    if (parts.sandboxes !== undefined) return parts.sandboxes;
    own ??= openSandboxProvider(config.terminal_backend);
    return own;
  };

  const createFor = async (item: unknown, context: RolloutContext, label: string): Promise<Sandbox> => {
    const { limits, ...given } = parts.sandboxOf(item, context) ?? {};
    return provider().create({
      // The same in every process of the environment: a provider ends what a dead one left, and spares what a living one has.
      owner: parts.name,
      label: `${label} ${context.rolloutId}`,
      lifetimeMs: config.terminal_lifetime * 1000,
      limits: { wallMs: config.terminal_timeout * 1000, ...limits },
      // Tests of a grade are the author's and ask nobody.
      ...(config.network_allow === null || label === 'grade' ? {} : { network: { allow: config.network_allow } }),
      ...given,
    });
  };
  const hold = (
    item: unknown,
    context: RolloutContext,
    label: string,
    onBroken?: (error: unknown) => void,
  ): HeldSandbox =>
    holdSandbox({
      create: () => createFor(item, context, label),
      // A grade has the room of its rollout: one that waited for another to end could wait for ever.
      room: label === 'grade' ? undefined : { wait: () => slots.take(context.signal), takeFree: slots.takeFree },
      prepare: (sandbox) => parts.prepare(item, sandbox, context),
      onBroken,
      log: context.log,
    });

  const contextFor = (item: unknown, context: RolloutContext, held: HeldSandbox): AgentContext =>
    createAgentContext({
      context,
      hasSandbox: () => held.isUsed,
      sandbox: () => held.get(),
      gradeInCleanSandbox: async (options) => {
        const clean = hold(item, context, 'grade');
        try {
          return await gradeInCleanSandbox(options, {
            from: await held.get(),
            createClean: () => clean.get(),
            newMark,
            signal: context.signal,
          });
        } finally {
          await clean.release();
        }
      },
    });

  /** Grades with a sandbox at hand; whoever holds it releases it. */
  const grade = async (
    drawn: Drawn<Split>,
    result: AgentRolloutResult,
    context: RolloutContext,
    held: HeldSandbox,
  ): Promise<Outcome> => {
    const computeReward: OpenedEnvironment['computeReward'] = async () =>
      endWith(context.signal, async () =>
        parts.computeReward(drawn.item, result, contextFor(drawn.item, context, held)),
      );
    const outcome = await gradeResult({ ...opened, computeReward }, drawn, result, context);
    return markMissing(penalise(outcome, result.parseFailures * config.parse_failure_penalty), missing);
  };

  // A name that is not there is found before the first rollout, and so is one whose tools are not configured.
  const { toolsets, missing, close: closeToolsets } = await openAgentToolsets({ config, ...parts });
  const resolve = (own: readonly AgentTool[], random: Random): readonly AgentTool[] =>
    resolveTools({ ...parts, own, config, random, toolsets, missing });
  resolve([], createRandom(config.seed));
  const listTools = async (drawn: Drawn<Split>, context: RolloutContext): Promise<readonly AgentTool[]> =>
    resolve(
      await parts.listOwnTools(drawn.item, context),
      createRandom(config.seed, 'toolsets', drawn.key, drawn.draw),
    );

  return {
    ...opened,
    config,
    listTools: async () => undefined,
    metrics: (rollouts, split) => ({ ...measureAgents(rollouts), ...opened.metrics?.(rollouts, split) }),
    // For a reply that was not rolled out here, such as an example: there is no work of an agent to look at.
    computeReward: async (drawn, result, context) => {
      const held = hold(drawn.item, context, 'check');
      try {
        return await grade(drawn, toAgentRolloutResult(result), context, held);
      } finally {
        await held.release();
      }
    },
    rollOut: async (drawn, { context, messages, ask }) => {
      const broken = new AbortController();
      const held = hold(drawn.item, context, 'agent', (error) => broken.abort(error));
      const lent = lendSandbox(() => held.get());
      const tooling = createToolRun();
      // What a tool could not close must not keep the sandbox.
      const endTools = (): Promise<void> =>
        tooling.end().catch((error: unknown) => context.log(`a tool was not closed: ${String(error)}`));
      try {
        const tools = await listTools(drawn, context);
        // Made while the model thinks about its first reply, which takes longer.
        if (tools.some((tool) => SANDBOX_TOOLS.has(tool))) held.begin();
        const run = await runAgentRollout({
          messages,
          tools,
          ask,
          format: config.tool_call_parser,
          masksParseFailures: config.mask_parse_failures,
          extraBody: config.extra_body ?? undefined,
          sandbox: () => lent.get(),
          run: tooling,
          // A tool without its sandbox is no fault of the model, and no reason for a low reward.
          signal: AbortSignal.any([context.signal, broken.signal]),
          limits: {
            maxTurns: config.max_agent_turns,
            maxSequenceTokens: config.max_token_length,
            maxSampledTokens: config.max_agent_tokens ?? Number.POSITIVE_INFINITY,
            maxToolCalls: config.max_tool_calls,
            maxCallsPerReply: config.max_calls_per_turn,
            maxMs: config.agent_timeout === null ? Number.POSITIVE_INFINITY : config.agent_timeout * 1000,
            toolMs: config.terminal_timeout * 1000,
            resultCharacters: config.tool_output_characters,
            maxCorrections: config.parse_failure === 'end' ? 0 : config.max_parse_failures,
          },
        });
        const result = { ...summariseAgentRun(run), ...(await readNetworkUse(held)) };
        // A process of the agent that lived on could change tests between their writing and their run.
        await lent.takeBack();
        await endTools();
        return { trajectory: run.trajectory, result, outcome: await grade(drawn, result, context, held) };
      } finally {
        await endTools();
        await held.release();
      }
    },
    close: async () => {
      try {
        await opened.close();
      } finally {
        await closeToolsets();
        await own?.close();
      }
    },
  };
}

/** What the agent's sandbox asked of the network, where it has one and was used. */
async function readNetworkUse(held: HeldSandbox): Promise<Pick<AgentRolloutResult, 'networkLog'>> {
  const { network } = held.isUsed ? await held.get() : {};
  return network === undefined ? {} : { networkLog: network.log };
}

/** Ends with the signal: a grader that does not look at it must not keep the sandbox. */
async function endWith<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function penalise(outcome: Outcome, penalty: number): Outcome {
  if (outcome.kind !== 'scored' || penalty === 0) return outcome;
  return rescored(outcome, Math.max(0, outcome.reward - penalty), ['parse-failure-penalty']);
}

/** A rollout that had fewer tools than it was promised says so wherever it goes. */
function markMissing(outcome: Outcome, missing: readonly string[]): Outcome {
  if (outcome.kind !== 'scored' || missing.length === 0) return outcome;
  const marks = missing.map((toolset) => `missing-toolset:${toolset}`);
  return rescored(outcome, outcome.reward, marks);
}

function toAgentRolloutResult(result: RolloutResult): AgentRolloutResult {
  if (isAgentRolloutResult(result)) return result;
  return { ...result, stopReason: result.finishedNaturally ? 'answered' : 'reply-cut', turns: [], parseFailures: 0 };
}
