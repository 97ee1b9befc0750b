import type { DataRecord } from '@lachesis/protocol';
import { digestRecord } from '@lachesis/store';
import type { DropReport } from '../records/drop-report.ts';
import { maskReplies } from './mask-replies.ts';
import { pickSplit } from './pick-split.ts';
import type { Transform } from './transform.ts';

type Records = Iterable<DataRecord> | AsyncIterable<DataRecord>;

/** Sends rows through transforms, one after the other, and counts what each leaves out. */
export function applyTransforms(
  records: Records,
  { transforms, drops }: { transforms: readonly Transform[]; drops: DropReport },
): AsyncIterable<DataRecord> {
  let stream = toAsync(records);
  for (const transform of transforms) stream = applyOne(stream, startTransform(transform, drops));
  return stream;
}

/** Gives the row as it goes on, or undefined when it stays behind. */
type Step = (record: DataRecord) => DataRecord | undefined;

function startTransform(transform: Transform, drops: DropReport): Step {
  switch (transform.kind) {
    case 'dedupe':
      return startDedupe(transform, drops);
    case 'mask':
      return (record) => {
        const masked = maskReplies(record, transform.train);
        if (hasTokens(record) && !hasTokens(masked))
          drops.add('tokens', 'the mask does not show which reply wrote which tokens');
        return masked;
      };
    case 'split':
      return (record) => ({ ...record, split: pickSplit({ ...transform, key: digestRecord(record).prompt }) });
    case 'cap':
      return startCap(transform, drops);
    case 'weights':
      return (record) => ({ ...record, weight: weigh(record, transform) });
    case 'complete':
      return (record) => {
        if (record.kind === 'preference' || (record.completed && !record.partial && hasReply(record))) return record;
        drops.add('row', 'it was cut off, ended in an error, or has no reply');
        return undefined;
      };
  }
}

function startDedupe({ by }: Extract<Transform, { kind: 'dedupe' }>, drops: DropReport): Step {
  const seen = new Set<string>();
  return (record) => {
    const digest = digestRecord(record)[by];
    if (seen.has(digest)) {
      drops.add('row', by === 'whole' ? 'another row says the same' : 'another row has the same prompt');
      return undefined;
    }
    seen.add(digest);
    return record;
  };
}

function startCap(transform: Extract<Transform, { kind: 'cap' }>, drops: DropReport): Step {
  const counts = new Map<string, number>();
  return (record) => {
    const model = record.kind === 'conversation' ? (record.model ?? '') : '';
    // What has no limit is not counted: prompts are as many as rows.
    const limits = [
      ['rows', transform.rows] as const,
      [`prompt ${digestRecord(record).prompt}`, transform.per_prompt] as const,
      [`model ${model}`, transform.per_model] as const,
    ].filter(([, limit]) => limit !== undefined);
    for (const [key, limit = Infinity] of limits) {
      if ((counts.get(key) ?? 0) >= limit) {
        drops.add(
          'row',
          `the cap of ${limit} ${key.split(' ', 1)[0] === 'rows' ? 'rows' : `rows for each ${key.split(' ', 1)[0]}`} is reached`,
        );
        return undefined;
      }
    }
    for (const [key] of limits) counts.set(key, (counts.get(key) ?? 0) + 1);
    return record;
  };
}

function weigh(record: DataRecord, transform: Extract<Transform, { kind: 'weights' }>): number {
  const { by, otherwise, min, max } = transform;
  if (by === 'constant' || record.kind === 'preference') return otherwise;
  const value = record[by];
  return value === null ? otherwise : Math.min(max, Math.max(min, value));
}

const hasTokens = (record: DataRecord): boolean => record.kind === 'conversation' && record.tokens !== null;

const hasReply = (record: DataRecord): boolean =>
  record.kind === 'preference' || record.messages.some(({ role }) => role === 'assistant');

async function* applyOne(records: AsyncIterable<DataRecord>, step: Step): AsyncGenerator<DataRecord> {
  for await (const record of records) {
    const next = step(record);
    if (next !== undefined) yield next;
  }
}

async function* toAsync(records: Records): AsyncGenerator<DataRecord> {
  yield* records;
}
