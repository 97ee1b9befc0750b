import type { PreferenceRecord } from '@lachesis/protocol';
import type { DropReport } from '../records/drop-report.ts';

/** Names the fields of a pair that a format has no place for. */
export function countPreferenceDrops(record: PreferenceRecord, drops: DropReport): void {
  const said = {
    trajectory_id: record.trajectory_id !== null,
    feedback_ids: record.feedback_ids.length > 0,
    tags: record.tags.length > 0,
    split: record.split !== 'train',
    weight: record.weight !== 1,
    consent: record.consent !== 'train',
  };
  for (const [key, isSaid] of Object.entries(said)) if (isSaid) drops.add(key, 'the format has no place for it');
  for (const key of Object.keys(record.extra)) drops.add(`extra.${key}`, 'it belongs to another format');
}
