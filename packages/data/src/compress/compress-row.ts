import { createHash } from 'node:crypto';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { entriesOf, isJsonObject, memberOf, parsePythonJson } from '../records/python/parse-python-json.ts';
import { CompressionError } from './compression-error.ts';
import { type CompressTurnsOptions, type CompressedTurns, compressTurns } from './compress-turns.ts';
import { type Fidelity, measureFidelity } from './fidelity/measure-fidelity.ts';
import type { RowExtras } from './metrics/aggregate.ts';
import { type RowMetrics, formatRowMetrics } from './metrics/row-metrics.ts';
import { parseRow } from './parse-row.ts';
import { toTurn } from './region/turn.ts';
import type { Summarizer } from './summarize/summary.ts';

export interface CompressRowOptions extends Omit<CompressTurnsOptions, 'turns'> {
  /** A line of a file, without its end. */
  readonly text: string;
  readonly source: { readonly file: string; readonly line: number };
  readonly identity: Summarizer['identity'];
}

export type CompressedRow =
  | { readonly kind: 'unchanged'; readonly text: string; readonly metrics: RowMetrics }
  | { readonly kind: 'compressed'; readonly text: string; readonly metrics: RowMetrics; readonly extras: RowExtras }
  /** The line is no JSON. */
  | { readonly kind: 'unreadable'; readonly reason: string };

const NO_CONVERSATION: RowMetrics = {
  ...{ originalTokens: 0, compressedTokens: 0, originalTurns: 0, compressedTurns: 0, region: undefined },
  ...{ isStillOverLimit: false, isSkippedUnderTarget: false, calls: 0, errors: 0 },
};

/** Makes one line fit. A line that needs nothing comes back as it was, byte by byte. Throws when there is no summary for it. */
export async function compressRow(options: CompressRowOptions): Promise<CompressedRow> {
  const { text, settings } = options;
  const elements = readElements(text);
  if (elements === 'no-json') return { kind: 'unreadable', reason: 'the line is not JSON, so it is not in the output' };
  if (elements === 'no-conversation') return { kind: 'unchanged', text, metrics: NO_CONVERSATION };
  if (elements === 'no-list')
    throw new CompressionError({ kind: 'bad-input', reason: 'its conversations are no list, so it stays as it was' });
  const turns = elements.map(toTurn);
  const result = await compressTurns({ ...options, turns });
  const { chosen, metrics, passes } = result;
  if (chosen === undefined) return { kind: 'unchanged', text, metrics };

  const row = parseRow(text);
  const conversation = replaceRegion(memberOf(row, 'conversations') as readonly PythonJsonValue[], options, chosen);
  const fidelity = measureFidelity({
    removed: turns.slice(chosen.region.start, chosen.region.end),
    left: conversation.map(toTurn),
  });
  const fields = new Map<string, unknown>(entriesOf(row));
  fields.set('conversations', conversation);
  if (settings.metricsPerRow) fields.set('compression_metrics', formatRowMetrics(metrics));
  fields.set('compression_fidelity', fidelity);
  fields.set('compression_provenance', describeOrigin(options, result));
  return { kind: 'compressed', text: formatPythonJson(fields), metrics, extras: toExtras(passes, fidelity) };
}

/** With the native parser: most rows of a file are short enough, and only what has to be written again needs the careful one. */
export function readElements(text: string): readonly PythonJsonValue[] | 'no-json' | 'no-conversation' | 'no-list' {
  let row: PythonJsonValue;
  try {
    row = JSON.parse(text) as PythonJsonValue;
  } catch {
    try {
      // Python writes NaN and Infinity, which are no JSON for anybody else.
      row = parsePythonJson(text);
    } catch {
      return 'no-json';
    }
  }
  const conversations = isJsonObject(row) ? memberOf(row, 'conversations') : undefined;
  if (conversations === undefined) return 'no-conversation';
  return Array.isArray(conversations) ? (conversations as readonly PythonJsonValue[]) : 'no-list';
}

function replaceRegion(
  elements: readonly PythonJsonValue[],
  { settings }: CompressRowOptions,
  { region, summary }: NonNullable<CompressedTurns['chosen']>,
): PythonJsonValue[] {
  const head = elements.slice(0, region.start).map((element) => {
    if (!settings.addSummaryNotice || memberOf(element, 'from') !== 'system') return element;
    const { value } = toTurn(element);
    return new Map<string, PythonJsonValue>([...entriesOf(element), ['value', value + settings.summaryNoticeText]]);
  });
  return [...head, { from: 'human', value: summary.text }, ...elements.slice(region.end)];
}

/** Where the row comes from and what made it, without times: the same input gives the same row. */
function describeOrigin(options: CompressRowOptions, { passes, chosen }: CompressedTurns): Record<string, unknown> {
  const { text, source, settings, counter, identity } = options;
  return {
    by: 'lachesis compress',
    source: { ...source, sha256: createHash('sha256').update(text).digest('hex') },
    tokenizer: counter.name,
    summarizer: identity,
    target_max_tokens: settings.targetMaxTokens,
    passes: passes.map(({ region, summary, summaryTokens, tokensAfter }) => ({
      ...{ start_idx: region.start, end_idx: region.end, summary_tokens: summaryTokens, tokens_after: tokensAfter },
      ...{ question_sha256: summary.key, was_cut: summary.isCut },
    })),
    chosen_pass: chosen === undefined ? -1 : passes.indexOf(chosen),
  };
}

function toExtras(passes: CompressedTurns['passes'], { score }: Fidelity): RowExtras {
  const sum = (pick: (pass: CompressedTurns['passes'][number]) => number): number =>
    passes.reduce((total, pass) => total + pick(pass), 0);
  return {
    fidelity: score,
    passes: passes.length,
    reusedSummaries: sum(({ summary }) => Number(summary.isReused)),
    cutSummaries: sum(({ summary }) => Number(summary.isCut)),
    promptTokens: sum(({ summary }) => summary.promptTokens),
    completionTokens: sum(({ summary }) => summary.completionTokens),
  };
}
