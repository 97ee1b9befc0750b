import { LachesisError, type CaptureRecord } from '@lachesis/protocol';

/** Lineage is made of these: only the gateway, which served the model, may say them. */
const LINEAGE = new Set(['model_version_id', 'run_id']);

/** More than any call costs, any reply holds and any environment gives; sums of a million such are still exact. */
const MOST_DOLLARS = 100_000;
const MOST_TOKENS = 1e9;
const MOST_REWARD = 1e6;
/** The last moment of the year 9999. */
const LAST_MOMENT = 253_402_300_799_999;

/** What somebody else's recorder may say, or why not: `index` is its place in the request. */
export function restrictRecord(record: CaptureRecord, index: number): CaptureRecord {
  const numbers = listNumbers(record);
  for (const [field, value, least, most] of numbers) {
    if (value === null || value === undefined || (value >= least && value <= most)) continue;
    throw refuse(index, field, `must be between ${least} and ${most}`);
  }
  if (record.kind !== 'end' && record.source === 'gateway') {
    throw refuse(index, 'source', 'gateway is what this server recorded itself');
  }
  if (record.metadata === null) return record;
  const metadata = Object.fromEntries(Object.entries(record.metadata).filter(([name]) => !LINEAGE.has(name)));
  return { ...record, metadata };
}

type Bound = [field: string, value: number | null | undefined, least: number, most: number];

function listNumbers(record: CaptureRecord): Bound[] {
  const moment = (field: string, value: number | null): Bound => [field, value, 0, LAST_MOMENT];
  const at = moment('at', record.at);
  if (record.kind === 'messages') return [at];
  if (record.kind === 'end') return [at, ['reward', record.reward, -MOST_REWARD, MOST_REWARD]];
  const { usage } = record;
  return [
    at,
    moment('started_at', record.started_at),
    moment('first_token_at', record.first_token_at),
    moment('ended_at', record.ended_at),
    ['cost', record.cost, 0, MOST_DOLLARS],
    ['usage.prompt_tokens', usage?.prompt_tokens, 0, MOST_TOKENS],
    ['usage.completion_tokens', usage?.completion_tokens, 0, MOST_TOKENS],
    ['usage.total_tokens', usage?.total_tokens, 0, 2 * MOST_TOKENS],
  ];
}

function refuse(index: number, field: string, message: string): LachesisError {
  return new LachesisError({
    code: 'invalid',
    message: `record ${index} cannot be kept: ${field} ${message}`,
    hint: 'GET /openapi.json describes it.',
    issues: [{ sequence: null, field: `records.${index}.${field}`, message }],
  });
}
