import { createReadStream } from 'node:fs';
import { readLines } from '../import/lines/read-lines.ts';
import { readElements } from './compress-row.ts';
import { countRows } from './files/count-rows.ts';
import { planFiles } from './files/plan-files.ts';
import type { CompressFilesOptions } from './compress-files.ts';
import { chooseEnd } from './region/choose-end.ts';
import { findCompressible } from './region/find-compressible.ts';
import { toTurn } from './region/turn.ts';
import { chooseSample } from './sample/choose-sample.ts';
import { createPythonRandom } from './sample/create-python-random.ts';

export type AnalyzeFilesOptions = Pick<
  CompressFilesOptions,
  'input' | 'output' | 'settings' | 'counter' | 'sample' | 'signal'
>;

/** What a compression would do. */
export interface CompressionOutlook {
  readonly output: string;
  readonly notes: readonly string[];
  readonly rows: number;
  readonly tokens: number;
  readonly rows_over_target: number;
  /** Summaries to ask for, at least: a row that does not fit after one gets another. */
  readonly summaries: number;
  readonly tokens_to_summarize: number;
  /** Rows that stay too long: what is protected leaves nothing to take out. */
  readonly rows_stuck: number;
  readonly unreadable_lines: number;
}

/** Counts what `compressFiles` would do, and writes nothing. */
export async function analyzeFiles(options: AnalyzeFilesOptions): Promise<CompressionOutlook> {
  const { settings, counter, sample, signal } = options;
  const plan = await planFiles(options);
  const random = createPythonRandom(sample?.seed ?? 0);
  const sum = { rows: 0, tokens: 0, rows_over_target: 0, summaries: 0, tokens_to_summarize: 0 };
  const odd = { rows_stuck: 0, unreadable_lines: 0 };
  for (const { input } of plan.files) {
    const chosen = sample && chooseSample({ rows: await countRows(input), percent: sample.percent, random });
    let place = 0;
    for await (const line of readLines(createReadStream(input))) {
      signal?.throwIfAborted();
      const elements = 'problem' in line ? 'no-json' : readElements(line.text);
      if (elements === 'no-json') {
        odd.unreadable_lines += 1;
        continue;
      }
      place += 1;
      if (chosen !== undefined && !chosen.has(place - 1)) continue;
      sum.rows += 1;
      if (elements === 'no-conversation' || elements === 'no-list') continue;
      const turns = elements.map(toTurn);
      const tokens = await Promise.all(turns.map(async ({ value }) => await counter.count(value)));
      const total = tokens.reduce((all, each) => all + each, 0);
      sum.tokens += total;
      if (total <= settings.targetMaxTokens) continue;
      sum.rows_over_target += 1;
      const within = findCompressible(turns, settings);
      const needed = total - settings.targetMaxTokens + settings.summaryTargetTokens;
      const end = within && chooseEnd({ turns, tokens, within, needed });
      if (within === undefined || end === undefined) odd.rows_stuck += 1;
      else {
        sum.summaries += 1;
        sum.tokens_to_summarize += tokens.slice(within.start, end).reduce((all, each) => all + each, 0);
      }
    }
  }
  return { output: plan.output, notes: plan.notes, ...sum, ...odd };
}
