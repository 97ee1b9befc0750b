import { type ConversationRecord, makeConversation } from '@lachesis/protocol';
import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { findToolsText, readDefaultPreamble } from '../../export/sharegpt/preamble.ts';
import { SHAREGPT_EXTRA } from '../../export/sharegpt/sharegpt-extra.ts';
import { entriesOf, memberOf } from '../../records/python/parse-python-json.ts';
import type { ReadResult } from '../../records/read-result.ts';
import { readRows } from '../lines/read-rows.ts';
import type { Source } from '../lines/source.ts';
import { toPlain } from '../read-message.ts';
import { fromShareGpt } from './from-sharegpt.ts';
import { type Entry, createEntryWindow } from './repair-entries.ts';

export interface ReadShareGptOptions {
  /** Whether known defects of Hermes' files are put right. True unless told. */
  readonly repair?: boolean;
  /** How many entries to look back for one that a later one contains. */
  readonly window?: number;
}

const WINDOW = 1_000;

interface FileEntry extends Entry {
  readonly at: string;
  readonly id: string;
  /** The entry, with null in the place of its conversation: so the order of the fields is known. */
  readonly fields: Map<string, PythonJsonValue>;
}

/** ShareGPT files: those of Hermes in all its shapes, ours, and those of others. */
export async function* readShareGpt(
  source: Source,
  { repair = true, window = WINDOW }: ReadShareGptOptions = {},
): AsyncGenerator<ReadResult<ConversationRecord>> {
  const entries = createEntryWindow<FileEntry>(window);
  for await (const row of readRows(source)) {
    if ('problem' in row) {
      yield { problem: { at: row.at, reason: row.problem } };
      continue;
    }
    const entry = toFileEntry(row);
    if (typeof entry === 'string') yield { problem: { at: row.at, reason: entry } };
    else if (repair && isGrowing(entry)) for (const done of entries.add(entry)) yield toResult(done);
    else yield toResult(entry);
  }
  for (const done of entries.end()) yield toResult(done);
}

/** Entries that Hermes saved at the end of a turn. Batch entries are whole conversations, and ours have no defect of its. */
function isGrowing({ elements, fields }: FileEntry): boolean {
  const head = elements[0]?.from === 'system' ? elements[0].value : undefined;
  if (typeof head !== 'string' || fields.has('prompt_index')) return false;
  return readDefaultPreamble(head) === undefined && findToolsText(head) !== undefined;
}

function toFileEntry({ at, id, value }: { at: string; id: string; value: PythonJsonValue }): FileEntry | string {
  const conversations = memberOf(value, 'conversations');
  if (!Array.isArray(conversations)) return 'it has no list "conversations"';
  const elements = [];
  for (const [place, element] of (conversations as readonly PythonJsonValue[]).entries()) {
    const from = memberOf(element, 'from');
    const text = memberOf(element, 'value');
    if (typeof from !== 'string' || text === undefined) return `conversations[${place}] has no "from" and "value"`;
    elements.push({ from, value: toPlain(text) });
  }
  return { at, id, elements, repairs: [], fields: new Map([...entriesOf(value), ['conversations', null]]) };
}

function toResult({ at, id, elements, fields, repairs }: FileEntry): ReadResult<ConversationRecord> {
  const read = fromShareGpt(elements);
  if (typeof read === 'string') return { problem: { at, reason: read } };
  const metadata = fields.get('metadata');
  const textAt = (key: string): string | null => {
    const value = fields.get(key) ?? memberOf(metadata, key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const record = makeConversation({
    id,
    messages: read.messages,
    tools: read.tools,
    model: textAt('model'),
    timestamp: textAt('timestamp'),
    completed: fields.get('completed') !== false,
    partial: fields.get('partial') === true,
  });
  const extra = { ...read.extra };
  if (!isPlain(fields, record)) extra.fields = formatPythonJson(fields);
  if (Object.keys(extra).length > 0) record.extra = { [SHAREGPT_EXTRA]: extra };
  return { record, repairs: [...repairs, ...read.repairs], at };
}

/** The fields are those an interactive entry has, and the record holds them. */
function isPlain(fields: ReadonlyMap<string, PythonJsonValue>, record: ConversationRecord): boolean {
  const expected = [
    ['conversations', null],
    ['timestamp', record.timestamp ?? ''],
    ['model', record.model ?? ''],
    ['completed', record.completed],
  ];
  return formatPythonJson([...fields]) === formatPythonJson(expected);
}
