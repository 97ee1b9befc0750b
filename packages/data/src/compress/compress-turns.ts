import type { SummaryQuestion } from './summarize/summary.ts';
import type { KeptSummary } from './journal/create-kept-summarizer.ts';
import { NoSummaryError } from './summarize/create-model-summarizer.ts';
import { trimSummary } from './summarize/trim-summary.ts';
import type { RowMetrics } from './metrics/row-metrics.ts';
import { chooseEnd } from './region/choose-end.ts';
import { type Region, findCompressible, snapBoundary } from './region/find-compressible.ts';
import { formatTurns } from './region/format-turns.ts';
import type { Turn } from './region/turn.ts';
import type { CompressionSettings } from './settings/compression-settings.ts';
import type { TokenCounter } from './tokens/token-counter.ts';

/** One summary that was made for a row; the last one is in it, unless an earlier one left less. */
export interface Pass {
  readonly region: Region;
  readonly summary: KeptSummary;
  readonly summaryTokens: number;
  /** Of the whole row with this summary. */
  readonly tokensAfter: number;
}

export interface CompressTurnsOptions {
  readonly turns: readonly Turn[];
  readonly settings: CompressionSettings;
  readonly counter: TokenCounter;
  readonly summarize: (question: SummaryQuestion) => Promise<KeptSummary>;
  readonly signal: AbortSignal;
}

export interface CompressedTurns {
  readonly metrics: RowMetrics;
  /** Undefined when the turns stay as they are. */
  readonly chosen: Pass | undefined;
  readonly passes: readonly Pass[];
}

/** A summary shorter than this says nothing. */
const SHORTEST_SUMMARY_TOKENS = 24;
/** Models take more than they are asked to; a second request leaves so much room. */
const MARGIN = 0.8;

/** Finds the turns to take out and a summary for them, again with more turns or a shorter summary while the row does not fit. */
export async function compressTurns(options: CompressTurnsOptions): Promise<CompressedTurns> {
  const { turns, settings, counter } = options;
  const tokens = await Promise.all(turns.map(async ({ value }) => await counter.count(value)));
  const total = add(tokens, { start: 0, end: tokens.length });
  const plain = {
    ...{ originalTokens: total, compressedTokens: total, region: undefined, calls: 0, errors: 0 },
    ...{ originalTurns: turns.length, compressedTurns: turns.length },
  };
  if (total <= settings.targetMaxTokens) {
    const metrics = { ...plain, isStillOverLimit: false, isSkippedUnderTarget: true };
    return { metrics, chosen: undefined, passes: [] };
  }
  const within = findCompressible(turns, settings);
  const { passes, errors, calls } =
    within === undefined
      ? { passes: [], errors: 0, calls: 0 }
      : await makePasses({ ...options, tokens, total, within });
  const chosen = passes.toSorted((left, right) => left.tokensAfter - right.tokensAfter)[0];
  if (chosen === undefined) {
    const metrics = { ...plain, isStillOverLimit: true, isSkippedUnderTarget: false };
    return { metrics, chosen, passes };
  }
  return {
    chosen,
    passes,
    metrics: {
      originalTokens: total,
      compressedTokens: chosen.tokensAfter,
      originalTurns: turns.length,
      compressedTurns: turns.length - (chosen.region.end - chosen.region.start) + 1,
      region: chosen.region,
      isStillOverLimit: chosen.tokensAfter > settings.targetMaxTokens,
      isSkippedUnderTarget: false,
      calls,
      errors,
    },
  };
}

interface PassesOptions extends CompressTurnsOptions {
  readonly tokens: readonly number[];
  readonly total: number;
  readonly within: Region;
}

async function makePasses(options: PassesOptions): Promise<{ passes: Pass[]; calls: number; errors: number }> {
  const { turns, settings, counter, summarize, signal, tokens, total, within } = options;
  const notice = await countNotice(options);
  const passes: Pass[] = [];
  const spent = { calls: 0, errors: 0 };
  // The first pass is the known algorithm, which does not count the notice.
  let needed = total - settings.targetMaxTokens + settings.summaryTargetTokens;
  let targetTokens = settings.summaryTargetTokens;
  let end = chooseEnd({ turns, tokens, within, needed });
  while (end !== undefined && passes.length < settings.maxPasses) {
    const region = { start: within.start, end };
    const content = formatTurns(turns, region);
    let summary: KeptSummary;
    try {
      summary = await summarize({
        ...{ content, targetTokens, signal, firstTurn: region.start },
        turns: turns.slice(region.start, region.end),
      });
    } catch (error) {
      // What an earlier pass left is better than nothing; without one the row has failed.
      if (passes.length === 0 || !(error instanceof NoSummaryError)) throw error;
      return { passes, calls: spent.calls + error.calls, errors: spent.errors + error.errors };
    }
    spent.calls += summary.calls;
    spent.errors += summary.errors;
    const summaryTokens = await counter.count(summary.text);
    const left = total + notice - add(tokens, region);
    passes.push({ region, summary, summaryTokens, tokensAfter: left + summaryTokens });
    const room = settings.targetMaxTokens - left;
    if (summaryTokens <= room) break;
    needed = total + notice - settings.targetMaxTokens + summaryTokens;
    const longer = findLonger({ turns, tokens, within, needed, after: end });
    if (longer !== undefined) end = longer;
    else {
      const shorter = Math.floor(Math.min(room, targetTokens) * MARGIN);
      if (shorter < SHORTEST_SUMMARY_TOKENS) break;
      targetTokens = shorter;
    }
  }
  const trimmed = await trimLast(options, passes);
  if (trimmed !== undefined) passes.push(trimmed);
  return { passes, ...spent };
}

/** A model that says too much however it is asked: the beginning of what it said, where that is enough to fit. */
async function trimLast({ settings, counter }: PassesOptions, passes: readonly Pass[]): Promise<Pass | undefined> {
  const last = passes.at(-1);
  // With one pass the row is left as the known algorithm leaves it.
  if (last === undefined || settings.maxPasses === 1 || last.tokensAfter <= settings.targetMaxTokens) return undefined;
  const left = last.tokensAfter - last.summaryTokens;
  const room = settings.targetMaxTokens - left;
  if (room < SHORTEST_SUMMARY_TOKENS) return undefined;
  const text = await trimSummary({ text: last.summary.text, tokens: room, counter });
  if (text === undefined) return undefined;
  const summaryTokens = await counter.count(text);
  const summary = { ...last.summary, text, isCut: true, isReused: false, promptTokens: 0, completionTokens: 0 };
  return { region: last.region, summary, summaryTokens, tokensAfter: left + summaryTokens };
}

/** An end behind the last one with enough before it; undefined when there is none. */
function findLonger({ after, ...options }: Parameters<typeof chooseEnd>[0] & { after: number }): number | undefined {
  const { turns, within } = options;
  const end = chooseEnd(options);
  if (end !== undefined && end > after) return end;
  if (after >= within.end) return undefined;
  const next = snapBoundary(turns, after + 1, { start: after, end: within.end });
  return next > after ? next : undefined;
}

/** What the notice adds to the turns before the region. */
async function countNotice({ turns, tokens, settings, counter, within }: PassesOptions): Promise<number> {
  if (!settings.addSummaryNotice) return 0;
  let sum = 0;
  for (const [at, { from, value }] of turns.slice(0, within.start).entries()) {
    if (from === 'system') sum += (await counter.count(value + settings.summaryNoticeText)) - (tokens[at] ?? 0);
  }
  return sum;
}

function add(tokens: readonly number[], { start, end }: Region): number {
  let sum = 0;
  for (let at = start; at < end; at += 1) sum += tokens[at] ?? 0;
  return sum;
}
