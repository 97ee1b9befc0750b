import {
  type AgentParts,
  askWithRetry,
  type BatchAgent,
  createCommandAgent,
  createHttpAgent,
  createLoopAgent,
  openBatchToolsets,
  toSampling,
} from '@lachesis/data/batch';
import { type AgentTool, createChatModel } from '@lachesis/sdk/agent';
import { importOwnFile } from '@lachesis/sdk/config';
import {
  createContainerProvider,
  createLocalProvider,
  createNamespaceProvider,
  type SandboxProvider,
} from '@lachesis/sdk/sandbox';
import { type readPriceTable, findCost } from '@lachesis/server';
import { fail } from '../../terminal/fail.ts';
import { findModelServer } from '../../flags/model-server.ts';

type OpenedToolsets = Awaited<ReturnType<typeof openBatchToolsets>>;
type PriceTable = Awaited<ReturnType<typeof readPriceTable>>;

export interface BatchAgentOptions {
  apiKey: string | undefined;
  prices: PriceTable;
  onNote: (note: string) => void;
  /** Opened before there was a job; a worker opens its own. */
  toolsets?: OpenedToolsets | undefined;
}

/** The agent that the settings of a job ask for. */
export async function createBatchAgent(parts: AgentParts, options: BatchAgentOptions): Promise<BatchAgent> {
  const { settings, gate, meter, names, stopping } = parts;
  const { model: name, base_url: url } = settings;
  const about = { model: name, max_turns: settings.max_turns };
  const onOutage = (reason: string): void => options.onNote(`${reason}. All workers wait for it.`);
  const apiKey = options.apiKey ?? findModelServer({ 'base-url': url }, process.env)?.apiKey;
  if (settings.agent_command !== undefined) {
    return createCommandAgent({ command: settings.agent_command, gate, meter, about });
  }
  if (settings.agent_url !== undefined) {
    return createHttpAgent({
      ...{ url: settings.agent_url, apiKey: options.apiKey, gate, meter, about, stopping, onOutage },
    });
  }
  const ask = createChatModel({ url, model: name, apiKey, sampling: toSampling(settings), retryForMs: 0 });
  const { toolsets, missing, close } = options.toolsets ?? (await openToolsetsOf(settings));
  if (missing.length > 0) {
    options.onNote(`every row says that it was made without ${missing.map(({ toolset }) => toolset).join(', ')}`);
  }
  let provider: SandboxProvider | undefined;
  const agent = createLoopAgent({
    ...{ settings, meter, stopping, toolsets, missing, owner: `batch/${names.self}` },
    model: askWithRetry({ ask, gate, meter, stopping, onOutage }),
    sandboxes: () => (provider ??= openProvider(settings.sandbox)),
    findCost: (usage) =>
      findCost({ choices: [], usage, cost: readCost(usage), model: undefined }, [name], options.prices),
  });
  return {
    run: agent.run,
    close: async () => {
      await provider?.close();
      await close();
    },
  };
}

/** The tools that the distribution may draw. Throws the refusal where some are not configured. */
export async function openToolsetsOf(settings: AgentParts['settings']): Promise<OpenedToolsets> {
  const { toolsets_file: file } = settings;
  return openBatchToolsets({ settings, own: file === undefined ? {} : await loadToolsets(file) });
}

/** Some providers say what a reply cost beside its tokens. */
function readCost(usage: object | undefined): number | undefined {
  const cost = usage === undefined ? undefined : (usage as { cost?: unknown }).cost;
  return typeof cost === 'number' && cost >= 0 ? cost : undefined;
}

function openProvider(kind: 'container' | 'local' | 'namespace'): SandboxProvider {
  if (kind === 'container') return createContainerProvider();
  return kind === 'local' ? createLocalProvider() : createNamespaceProvider();
}

/** What a module hands in, by the names of toolsets. */
export async function loadToolsets(file: string): Promise<Readonly<Record<string, readonly AgentTool[]>>> {
  let module: Record<string, unknown>;
  try {
    module = await importOwnFile(file);
  } catch (error) {
    return fail(`--toolsets ${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  const toolsets = module['toolsets'];
  const isRight =
    typeof toolsets === 'object' &&
    toolsets !== null &&
    Object.values(toolsets).every((tools) => Array.isArray(tools) && tools.every(isTool));
  if (!isRight) fail(`--toolsets ${file} exports no \`toolsets\`: { web: [defineTool({ … })] }.`);
  return toolsets as Readonly<Record<string, readonly AgentTool[]>>;
}

const isTool = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<AgentTool>).name === 'string' &&
  typeof (value as Partial<AgentTool>).execute === 'function';
