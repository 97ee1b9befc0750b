import { groupHeaderSchema } from './group-header.ts';
import type { EncodableGroup } from './group-payload.ts';

/** A group as plain lists, so that two groups compare by value and not by the width of their arrays. */
export function toPlainGroup(group: EncodableGroup): unknown {
  const { header, ...fields } = group;
  return { header: groupHeaderSchema.parse(header), ...(toPlain(fields) as object) };
}

function toPlain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, toPlain(entry)] as const);
  // No text at all and an empty record of texts are the same group.
  return Object.fromEntries(entries.filter(([key, entry]) => !isEmptyRecord(key, entry)));
}

const isEmptyRecord = (key: string, entry: unknown): boolean =>
  (key === 'json' || key === 'rawNumbers') && Object.keys(entry as object).length === 0;
