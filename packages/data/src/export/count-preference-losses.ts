import type { PreferenceRecord } from '@lachesis/protocol';
import type { LossCounter } from '../records/loss.ts';

/** Names the fields of a pair that a format has no place for. */
export function countPreferenceLosses(record: PreferenceRecord, losses: LossCounter): void {
  const said = {
    trajectory_id: record.trajectory_id !== null,
    feedback_ids: record.feedback_ids.length > 0,
    tags: record.tags.length > 0,
    split: record.split !== 'train',
    weight: record.weight !== 1,
    consent: record.consent !== 'train',
  };
  for (const [key, isSaid] of Object.entries(said)) if (isSaid) losses.add(key, 'the format has no place for it');
  for (const key of Object.keys(record.extra)) losses.add(`extra.${key}`, 'it belongs to another format');
}
