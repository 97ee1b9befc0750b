import type { ConversationRecord, DataRecord } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import type { DroppedField, DropReport } from '../../records/drop-report.ts';
import { createDropReport } from '../../records/drop-report.ts';
import { entriesOf, parsePythonJson } from '../../records/python/parse-python-json.ts';
import { countRecordDrops } from '../count-record-drops.ts';
import { countTools } from './count-tools.ts';
import { SHAREGPT_EXTRA, readShareGptExtra } from './sharegpt-extra.ts';
import { type ShareGptElement, type ToShareGptOptions, toShareGpt } from './to-sharegpt.ts';

/** `interactive`: lines of `trajectory_samples.jsonl`; `batch`: lines of `batch_<n>.jsonl` and `trajectories.jsonl`. */
export type ShareGptShape = 'interactive' | 'batch';

export interface WriteShareGptOptions extends ToShareGptOptions {
  readonly shape?: ShareGptShape;
  /** Counts what the format has no place for. */
  readonly drops?: DropReport;
  /** Of the batch shape. */
  readonly batchNumber?: number;
  /** The number of the first prompt, in the batch shape. */
  readonly firstPrompt?: number;
}

/** ShareGPT lines as Hermes 0.19.0 writes them. Ends with what was dropped. */
export async function* writeShareGpt(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
  options: WriteShareGptOptions = {},
): AsyncGenerator<string, DroppedField[]> {
  const { drops = createDropReport(), firstPrompt = 0 } = options;
  let count = 0;
  for await (const record of records) {
    if (record.kind === 'preference') {
      drops.add('preference', 'ShareGPT holds conversations, and a pair is two of them');
      continue;
    }
    yield `${formatShareGptLine(record, { ...options, drops, promptIndex: firstPrompt + count })}\n`;
    count += 1;
  }
  return drops.list();
}

export interface FormatShareGptOptions extends WriteShareGptOptions {
  readonly promptIndex?: number;
}

/** One line, without its end. */
export function formatShareGptLine(record: ConversationRecord, options: FormatShareGptOptions = {}): string {
  const { shape = 'interactive', drops } = options;
  if (drops !== undefined) countRecordDrops(record, KEPT[shape], drops, SHAREGPT_EXTRA);
  return formatPythonJson(toEntry(record, options));
}

/** A file `sample_<8 hex>.json`: one entry on many lines, with the question beside it. */
export function formatShareGptSample(record: ConversationRecord, options: FormatShareGptOptions = {}): string {
  if (options.drops !== undefined) countRecordDrops(record, KEPT.interactive, options.drops, SHAREGPT_EXTRA);
  const entry = toEntry(record, { ...options, shape: 'interactive' });
  const elements = entry.get('conversations') as readonly ShareGptElement[];
  const query = elements.find(({ from }) => from === 'human' || from === 'user')?.value ?? '';
  return formatPythonJson(new Map([...entry, ['query', query]]), { indent: 2 });
}

const KEPT: Readonly<Record<ShareGptShape, readonly (keyof ConversationRecord)[]>> = {
  interactive: ['messages', 'tools', 'model', 'timestamp', 'completed'],
  batch: ['messages', 'tools', 'model', 'timestamp', 'completed', 'partial'],
};

function toEntry(record: ConversationRecord, options: FormatShareGptOptions): Map<string, unknown> {
  const extra = readShareGptExtra(record);
  const conversations = toElements(record, options);
  const entry = new Map<string, unknown>();
  if ((options.shape ?? 'interactive') === 'interactive') {
    entry.set('conversations', conversations);
    entry.set('timestamp', record.timestamp ?? '');
    entry.set('model', record.model ?? '');
    entry.set('completed', record.completed);
  } else {
    const counts = countTools(record);
    entry.set('prompt_index', options.promptIndex ?? 0);
    entry.set('conversations', conversations);
    entry.set('metadata', {
      batch_num: options.batchNumber ?? 0,
      timestamp: record.timestamp ?? '',
      model: record.model ?? '',
    });
    entry.set('completed', record.completed);
    entry.set('partial', record.partial);
    entry.set('api_calls', record.messages.filter(({ role }) => role === 'assistant').length);
    entry.set('toolsets_used', []);
    entry.set('tool_stats', counts);
    entry.set('tool_error_counts', new Map(Array.from(counts, ([name, { failure }]) => [name, failure])));
  }
  return extra.fields === undefined ? entry : restoreFields(entry, extra.fields, options.shape ?? 'interactive');
}

/** The fields as they were read, where the line was read from one of the same shape. */
function restoreFields(entry: Map<string, unknown>, fields: string, shape: ShareGptShape): Map<string, unknown> {
  const found = new Map<string, unknown>(entriesOf(parsePythonJson(fields)));
  if (found.has('prompt_index') !== (shape === 'batch')) return entry;
  found.delete('query');
  found.set('conversations', entry.get('conversations'));
  return found;
}

function toElements(record: ConversationRecord, options: FormatShareGptOptions): ShareGptElement[] {
  const extra = readShareGptExtra(record);
  const roles = options.roles ?? extra.roles;
  const elements = toShareGpt(record, {
    ...options,
    ...(roles === undefined ? {} : { roles }),
    ...(extra.has_no_think === true && options.think === undefined ? { think: 'present' } : {}),
    // What was element 0 stays, unless somebody asks for another.
    ...(extra.system !== undefined && options.preamble === undefined ? { preamble: () => extra.system ?? null } : {}),
  });
  if (extra.replaced === undefined) return elements;
  const originals = new Map(extra.replaced);
  return elements.map((element) => {
    const original = typeof element.value === 'string' ? originals.get(element.value) : undefined;
    return original === undefined ? element : { ...element, value: original };
  });
}
