import {
  type AgentTool,
  describeMissing,
  listDistribution,
  openToolsets,
  readToolsSettings,
} from '@lachesis/sdk/agent';
import { BatchError } from '../batch-error.ts';
import type { BatchSettings } from '../batch-settings.ts';

type Toolsets = Readonly<Record<string, readonly AgentTool[]>>;
type OpenedToolsets = Awaited<ReturnType<typeof openToolsets>>;

export interface BatchToolsetsOptions {
  settings: BatchSettings;
  /** Toolsets of one's own, by name. */
  own?: Toolsets | undefined;
  env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens what the distribution of a job may draw. One that cannot be had refuses the job, with what to configure, before anything of it
 * is there; `allow_missing_tools` lets it go on, and its rows say what was missing.
 */
export async function openBatchToolsets({
  settings,
  own,
  env = process.env,
}: BatchToolsetsOptions): Promise<OpenedToolsets> {
  const opened = await openToolsets({
    ...{ wanted: listDistribution(settings), env, own },
    settings: await readToolsSettings({ file: settings.tools_file, env }),
  });
  try {
    refuseMissing(settings, opened.missing);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** Nothing is asked and nothing is paid for with fewer tools than the distribution promises, unless somebody said so. */
export function refuseMissing(settings: BatchSettings, missing: OpenedToolsets['missing']): void {
  if (missing.length === 0 || settings.allow_missing_tools) return;
  const names = missing.map(({ toolset }) => toolset).join(', ');
  throw new BatchError({
    kind: 'refused',
    what: `Nothing was asked: the distribution ${JSON.stringify(settings.distribution)} draws ${names}, and their tools are not configured`,
    hint: `Configure them:${describeMissing(missing)}\nor take --distribution terminal_only, or --allow-missing-tools, which says in every row what was missing`,
  });
}
