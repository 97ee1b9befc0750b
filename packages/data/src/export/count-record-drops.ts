import type { ConversationRecord } from '@lachesis/protocol';
import type { DropReport } from '../records/drop-report.ts';

/** What a field holds when nobody said anything; leaving that out loses nothing. */
const UNSAID: Readonly<Partial<Record<keyof ConversationRecord, unknown>>> = {
  model: null,
  timestamp: null,
  completed: true,
  partial: false,
  reward: null,
  rating: null,
  split: 'train',
  weight: 1,
  consent: 'train',
  tokens: null,
  tools: null,
  trajectory_id: null,
};

/** Names the fields of a record that a format has no place for. Ids are made anew by every reader. */
export function countRecordDrops(
  record: ConversationRecord,
  kept: readonly (keyof ConversationRecord)[],
  drops: DropReport,
  /** The name in `extra` that is the format's own. */
  own?: string,
): void {
  for (const key of Object.keys(UNSAID) as (keyof ConversationRecord)[]) {
    if (!kept.includes(key) && record[key] !== UNSAID[key]) drops.add(key, 'the format has no place for it');
  }
  if (record.tags.length > 0 && !kept.includes('tags')) drops.add('tags', 'the format has no place for it');
  for (const key of Object.keys(record.extra))
    if (key !== own) drops.add(`extra.${key}`, 'it belongs to another format');
}
