import type { CaptureRecord } from '@lachesis/protocol';
import { openWork, type JobRef } from '@lachesis/store';
import { toCaptureRecords, type RecordedConversation } from '../records/to-capture-records.ts';
import { batchInputSchema } from './batch-agent.ts';
import type { BatchSettings } from './batch-settings.ts';
import { toBatchRecord, toEndedItem } from './files/format-entry.ts';

/** Records of one commit: well below what the store takes at once. */
const TOGETHER = 600;

/** Takes records into a library, in order; resolves when they are there. */
export type SendRecords = (records: readonly CaptureRecord[]) => Promise<unknown>;

/**
 * Brings the conversations of a job into the library, in a few large commits when all is over. What is there already stays as
 * it is, so a job that is gone on with brings what is new. Gives how many conversations there are.
 */
export async function recordBatch(options: {
  place: JobRef;
  settings: BatchSettings;
  send: SendRecords;
}): Promise<{ source: string; conversations: number }> {
  const { place, settings, send } = options;
  const source = nameSource(place.name);
  const work = openWork(place);
  const begun = (await work.find())?.createdAt ?? 0;
  let [conversations, waiting]: [number, CaptureRecord[]] = [0, []];
  for await (const item of work.iterate({ states: ['done', 'discarded', 'failed'] })) {
    // A job of the same name that was thrown away had other conversations.
    const about = { key: `${source}/${begun.toString(36)}/${item.index}`, source, consent: 'train' as const };
    const found = await toConversation(item, settings, begun);
    if (found === undefined) continue;
    waiting.push(...toCaptureRecords({ ...about, ...found, tags: item.state === 'discarded' ? ['discarded'] : [] }));
    conversations += 1;
    if (waiting.length < TOGETHER) continue;
    await send(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await send(waiting);
  return { source, conversations };
}

const LONGEST_NAME = 90;
const nameSource = (name: string): string => `batch:${name.slice(0, LONGEST_NAME)}`;

type Item = Parameters<typeof toEndedItem>[0];

async function toConversation(
  item: Item,
  { model }: BatchSettings,
  begun: number,
): Promise<Omit<RecordedConversation, 'consent' | 'key' | 'source'> | undefined> {
  if (item.state === 'failed') {
    const { prompt } = batchInputSchema.parse(item.input);
    const error = item.reason ?? 'it failed';
    return { messages: [{ role: 'user', content: prompt }], tools: null, model, at: begun, cost: item.cost, error };
  }
  const ended = toEndedItem(item);
  const { result } = ended;
  const record = await toBatchRecord(ended);
  if (record === undefined) return undefined;
  const { messages, tools } = record;
  const at = Date.parse(record.timestamp ?? '');
  const about = { messages, tools, model: record.model ?? model, at: Number.isNaN(at) ? begun : at };
  if ('line' in result) return about;
  return { ...about, usage: result.usage, cost: result.cost === null ? null : item.cost, reason: result.reason };
}
