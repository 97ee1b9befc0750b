import {
  askWithRetry,
  type AgentParts,
  type BatchAgent,
  BatchError,
  batchSettingsSchema,
  createLoopAgent,
  openBatchToolsets,
  runBatch,
} from '@lachesis/data/batch';
import { createChatModel } from '@lachesis/sdk/agent';
import { createLocalProvider } from '@lachesis/sdk/sandbox';
import type { openHome } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchRow } from './judge-rows.ts';

export interface RunDistributionOptions {
  readonly distribution: string;
  readonly home: Awaited<ReturnType<typeof openHome>>;
  readonly folder: string;
  readonly modelUrl: string;
  /** Variables, with `LACHESIS_TOOLS`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly seed: number;
  readonly prompts: number;
  readonly allowMissing: boolean;
  readonly name: string;
  /** Puts a wrong part in the place of the right one. */
  readonly breakAgent?: (parts: Parameters<typeof createLoopAgent>[0]) => BatchAgent;
}

export type DistributionEnd = { readonly refused: string } | { readonly rows: readonly BatchRow[] };

/** A batch as `lachesis batch` runs it, in this process: the toolsets are opened before there is a job. */
export async function runDistribution(options: RunDistributionOptions): Promise<DistributionEnd> {
  const { distribution, home, folder, modelUrl, env, seed, prompts, name } = options;
  const settings = batchSettingsSchema.parse({
    ...{ dataset_file: 'p.jsonl', batch_size: 10, model: 'scripted', base_url: modelUrl, distribution, seed },
    ...{ keep_without_reasoning: true, sandbox: 'local', max_attempts: 1, allow_missing_tools: options.allowMissing },
  });
  let opened: Awaited<ReturnType<typeof openBatchToolsets>>;
  try {
    opened = await openBatchToolsets({ settings, env });
  } catch (error) {
    if (BatchError.isInstance(error) && error.kind === 'refused') return { refused: error.message };
    throw error;
  }
  const sandboxes = createLocalProvider();
  const never = new AbortController().signal;
  const createAgent = ({ gate, meter, names, stopping }: AgentParts): BatchAgent => {
    const ask = createChatModel({ url: modelUrl, model: 'scripted', retryForMs: 0 });
    const parts = {
      ...{ settings, meter, stopping, owner: names.self, toolsets: opened.toolsets, missing: opened.missing },
      ...{ model: askWithRetry({ ask, gate, meter, stopping }), sandboxes: () => sandboxes },
    };
    return options.breakAgent?.(parts) ?? createLoopAgent(parts);
  };
  const directory = join(folder, name);
  try {
    await runBatch({
      ...{ place: { store: home.store, blobs: home.blobs, tenantId: 'local', name }, settings, directory, createAgent },
      inputs: Array.from({ length: prompts }, (_, index) => ({ prompt: `Where does moss grow? (${index})` })),
      ...{ isResuming: false, concurrency: 2, stopping: never, hurry: never },
    });
  } finally {
    await sandboxes.close();
    await opened.close();
  }
  const text = await readFile(join(directory, 'trajectories.jsonl'), 'utf8');
  return { rows: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as BatchRow])) };
}
