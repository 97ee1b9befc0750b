import { redact, type DataRecord, type Redactor } from '@lachesis/protocol';

/**
 * Takes secrets out of a row that comes from a file. Token ids spell the text they stand for: those of a row that held a
 * secret go with it, and the reason is kept.
 */
export function redactRow(row: DataRecord, redactor: Redactor): { row: DataRecord; found: number } {
  const { id: _id, trajectory_id: _trajectory, kind: _kind, ...rest } = row;
  const { value, found } = redact(rest, redactor);
  if (found === 0) return { row, found };
  // Each field in its place: the order is part of what a version of a set is known by.
  const clean = { ...row, ...value, extra: withoutTokens(value.extra) };
  return { row: clean.kind === 'conversation' ? { ...clean, tokens: null } : clean, found };
}

/** Ours of a preference are among what its format has beyond the record. */
function withoutTokens(extra: DataRecord['extra']): DataRecord['extra'] {
  const { lachesis } = extra;
  const ours = typeof lachesis === 'object' && lachesis !== null ? { ...lachesis, tokens: undefined } : {};
  return { ...extra, lachesis: { ...ours, tokens_missing: 'redacted' } };
}
