import { drawNumbers } from '../../../packages/data/src/batch/draw-numbers.ts';
import { STANDARD_TOOLSETS } from '../../../packages/sdk/src/agent/toolsets/standard-toolsets.ts';
import { drawToolsets } from '@lachesis/sdk/agent';

/** What is read of a row of `trajectories.jsonl`. */
export interface BatchRow {
  readonly prompt_index: number;
  readonly metadata: { readonly missing_toolsets?: readonly string[] };
  readonly toolsets_used: readonly string[];
  readonly tool_stats: Readonly<Record<string, { count: number; success: number; failure: number }>>;
}

export interface JudgeOptions {
  readonly distribution: string;
  readonly seed: number;
  readonly prompts: number;
  /** Toolsets that are known not to be configured here. */
  readonly missing: readonly string[];
  /** Names of the tools of a toolset, where they are others than the standard ones. */
  readonly toolsOf?: (toolset: string) => readonly string[];
}

export const standardTools = (toolset: string): readonly string[] =>
  (STANDARD_TOOLSETS as Record<string, readonly string[]>)[toolset] ?? [];

/** What is wrong with the rows of one run: tools that the draw promises and that were not offered, not called, or did not answer. */
export function judgeRows(rows: readonly BatchRow[], options: JudgeOptions): string[] {
  const { distribution, seed, prompts, missing, toolsOf = standardTools } = options;
  const faults: string[] = [];
  if (rows.length !== prompts) faults.push(`${rows.length} of ${prompts} rows`);
  for (const row of rows) {
    const drawn = drawToolsets({ distribution, next: drawNumbers(seed, row.prompt_index) });
    const told = row.metadata.missing_toolsets ?? [];
    if (told.join() !== missing.join()) faults.push(`row ${row.prompt_index} says [${told.join()}] was missing`);
    for (const toolset of drawn.filter((name) => !missing.includes(name))) {
      if (!row.toolsets_used.includes(toolset)) faults.push(`row ${row.prompt_index} went without ${toolset}`);
      for (const tool of toolsOf(toolset)) {
        const stats = row.tool_stats[tool];
        if (stats === undefined) faults.push(`row ${row.prompt_index}: ${tool} was not offered`);
        else if (stats.success < 1 || stats.failure > 0) faults.push(`row ${row.prompt_index}: ${tool} did not answer`);
      }
    }
  }
  return faults;
}
