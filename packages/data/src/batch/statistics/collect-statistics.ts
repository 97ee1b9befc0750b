import { openWork, type WorkCounts, type JobRef } from '@lachesis/store';
import { countTools, type ToolCount } from '../../export/sharegpt/count-tools.ts';
import type { BatchSettings } from '../batch-settings.ts';
import { toBatchRecord, toEndedItem } from '../files/format-entry.ts';
import { countReasoning } from '../has-reasoning.ts';
import { createPicks, type RowToRead } from './pick-rows.ts';
import { createSpread, type Spread } from './spread.ts';
import { createTimeline } from './timeline.ts';

export interface ToolStatistics extends ToolCount {
  /** Percent, two decimals. */
  success_rate: number;
  failure_rate: number;
}

/** The keys of Hermes' `statistics.json` first, then ours. */
export interface BatchStatistics {
  run_name: string;
  distribution: string;
  total_prompts: number;
  total_batches: number;
  batch_size: number;
  model: string;
  completed_at: string;
  duration_seconds: number;
  tool_statistics: Record<string, ToolStatistics>;
  reasoning_statistics: {
    total_assistant_turns: number;
    turns_with_reasoning: number;
    turns_without_reasoning: number;
  };
  outcomes: { done: number; discarded: number; failed: number; open: number };
  /** Of the rows that were kept: why they ended. */
  end_reasons: Record<string, number>;
  toolsets: Record<string, number>;
  attempts: Record<string, number>;
  tokens: { prompt: number; completion: number };
  /** US dollars. `unknown`: rows whose cost nobody knows. */
  costs: { total: number; unknown: number };
  /** Of the prompts without a row: why, the most frequent first. */
  failure_reasons: Record<string, number>;
  /** Rows kept, prompts failed and dollars by equal pieces of the time between the first row and the last. */
  timeline: { at: string; kept: number; cost: number }[];
  /** Prompts that are worth a look, by their index, with why. */
  rows_to_read: RowToRead[];
  lengths: { turns: Spread; messages: Spread; characters: Spread; tokens: Spread; cost: Spread };
}

export interface CollectStatisticsOptions {
  place: JobRef;
  settings: BatchSettings;
  counts: WorkCounts;
  durationSeconds: number;
  now?: () => Date;
}

/** Goes once through what was kept. Discarded and failed items are counted and not measured, as in Hermes' figures. */
export async function collectStatistics(options: CollectStatisticsOptions): Promise<BatchStatistics> {
  const { place, settings, counts, durationSeconds, now = () => new Date() } = options;
  const tools = new Map<string, ToolCount>();
  const reasoning = { total_assistant_turns: 0, turns_with_reasoning: 0, turns_without_reasoning: 0 };
  const [endReasons, toolsets, attempts] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  const spreads = {
    turns: createSpread(),
    messages: createSpread(),
    characters: createSpread(),
    tokens: createSpread(),
    cost: createSpread(),
  };
  const tokens = { prompt: 0, completion: 0 };
  const [timeline, picks] = [createTimeline(), createPicks()];
  let unknown = 0;
  for await (const item of openWork(place).iterate({ states: ['done'] })) {
    const ended = toEndedItem(item);
    const record = await toBatchRecord(ended);
    if (record === undefined) continue;
    for (const [name, count] of countTools(record)) {
      const sum = tools.get(name) ?? { count: 0, success: 0, failure: 0 };
      tools.set(name, {
        count: sum.count + count.count,
        success: sum.success + count.success,
        failure: sum.failure + count.failure,
      });
    }
    const counted = countReasoning(record.messages);
    for (const name of Object.keys(reasoning) as (keyof typeof reasoning)[]) reasoning[name] += counted[name];
    spreads.turns.add(counted.total_assistant_turns);
    spreads.messages.add(record.messages.length);
    spreads.characters.add(JSON.stringify(record.messages).length);
    add(attempts, String(ended.attempt));
    if ('line' in ended.result) {
      unknown += 1;
      continue;
    }
    const { reason, toolsets_used: used, usage, cost } = ended.result;
    timeline.add(Date.parse(ended.result.timestamp), cost === null ? 0 : ended.cost);
    picks.add({ index: ended.index, record, reason, cost: cost === null ? null : ended.cost });
    add(endReasons, reason);
    for (const toolset of used) add(toolsets, toolset);
    tokens.prompt += usage.prompt_tokens;
    tokens.completion += usage.completion_tokens;
    // A server that counts nothing says 0, which is no length.
    const taken = Math.max(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
    if (taken > 0) spreads.tokens.add(taken);
    if (cost === null) unknown += 1;
    else spreads.cost.add(ended.cost);
  }
  const failures = new Map<string, number>();
  for await (const { index, reason, input } of openWork(place).iterate({ states: ['failed'] })) {
    add(failures, reason ?? 'no reason');
    picks.addFailure({ index, reason: reason ?? 'no reason', input });
  }
  const total = counts.ready + counts.leased + counts.done + counts.discarded + counts.failed;
  return {
    run_name: place.name,
    distribution: settings.distribution,
    total_prompts: total,
    total_batches: Math.ceil(total / settings.batch_size),
    batch_size: settings.batch_size,
    model: settings.model,
    completed_at: now().toISOString(),
    duration_seconds: round(durationSeconds, 2),
    tool_statistics: Object.fromEntries(
      [...tools].filter(([, { count }]) => count > 0).map(([name, count]) => [name, { ...count, ...toRates(count) }]),
    ),
    reasoning_statistics: reasoning,
    outcomes: {
      ...{ done: counts.done, discarded: counts.discarded, failed: counts.failed },
      open: counts.ready + counts.leased,
    },
    end_reasons: Object.fromEntries(endReasons),
    toolsets: Object.fromEntries(toolsets),
    attempts: Object.fromEntries(attempts),
    tokens,
    costs: { total: round(counts.cost, 6), unknown },
    failure_reasons: Object.fromEntries([...failures].toSorted(([, left], [, right]) => right - left)),
    timeline: timeline.read(),
    rows_to_read: picks.read(),
    lengths: {
      turns: spreads.turns.read(),
      messages: spreads.messages.read(),
      characters: spreads.characters.read(),
      tokens: spreads.tokens.read(),
      cost: spreads.cost.read(),
    },
  };
}

function toRates({ success, failure }: ToolCount): Pick<ToolStatistics, 'failure_rate' | 'success_rate'> {
  const answered = success + failure;
  const percent = (part: number): number => (answered === 0 ? 0 : round((part / answered) * 100, 2));
  return { success_rate: percent(success), failure_rate: percent(failure) };
}

const add = (counts: Map<string, number>, name: string): Map<string, number> =>
  counts.set(name, (counts.get(name) ?? 0) + 1);

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
