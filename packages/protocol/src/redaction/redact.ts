import type { Redactor } from './create-redactor.ts';

export interface Redacted<T> {
  readonly value: T;
  /** How many secrets were taken out. */
  readonly found: number;
}

/** Ids are random by design and tie a tool's answer to its call; two of them must not become the same mark. */
const ID_NAMES = new Set([
  'id',
  'tool_call_id',
  'toolCallId',
  'call_id',
  'item_id',
  'response_id',
  'previous_response_id',
  'record_id',
  'trajectory_id',
  'parent_id',
  'request_id',
  'system_fingerprint',
]);

/** Deeper than any record; a value that goes further is cut, so that a hostile one cannot end the process. */
const DEEPEST = 100;

/**
 * Takes secrets out of a JSON value: out of every text, every key, and every field whose name says that it is one. What
 * holds none is returned as it is, the same object.
 */
export function redact<T>(value: T, redactor: Redactor): Redacted<T> {
  const count = { found: 0 };
  return { value: walk(value, undefined, redactor, count, 0) as T, found: count.found };
}

function walk(
  value: unknown,
  name: string | undefined,
  redactor: Redactor,
  count: { found: number },
  depth: number,
): unknown {
  if (typeof value === 'string') return walkText(value, name, redactor, count);
  if (typeof value === 'number' && name !== undefined) {
    // A password of digits; token counts and ids are not named like secrets, and a doubtful name wants letters too.
    const mark = redactor.redactField(name, String(value));
    if (mark === undefined) return value;
    count.found += 1;
    return mark;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return null;
  return Array.isArray(value)
    ? walkList(value, name, redactor, count, depth)
    : walkObject(value as Record<string, unknown>, redactor, count, depth);
}

function walkText(text: string, name: string | undefined, redactor: Redactor, count: { found: number }): string {
  const mark = name === undefined ? undefined : redactor.redactField(name, text);
  if (mark !== undefined) {
    count.found += 1;
    return mark;
  }
  const { text: kept, found } =
    name !== undefined && ID_NAMES.has(name) ? redactor.redactId(text) : redactor.redactText(text);
  count.found += found;
  return kept;
}

function walkList(
  list: readonly unknown[],
  name: string | undefined,
  redactor: Redactor,
  count: { found: number },
  depth: number,
): readonly unknown[] {
  // Token ids and logprobs: long, and numbers hold nothing by themselves.
  if (
    typeof list[0] === 'number' &&
    typeof list.at(-1) === 'number' &&
    list.every((item) => typeof item === 'number')
  ) {
    return list;
  }
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = walk(list[index], name, redactor, count, depth + 1);
    if (item === list[index]) continue;
    changed ??= [...list];
    changed[index] = item;
  }
  return changed ?? list;
}

function walkObject(
  object: Record<string, unknown>,
  redactor: Redactor,
  count: { found: number },
  depth: number,
): Record<string, unknown> {
  let isChanged = false;
  const entries = Object.entries(object).map(([key, item]): [string, unknown] => {
    const { text: keptKey, found } = redactor.redactText(key);
    count.found += found;
    const kept = walk(item, key, redactor, count, depth + 1);
    isChanged ||= keptKey !== key || kept !== item;
    return [keptKey, kept];
  });
  return isChanged ? Object.fromEntries(entries) : object;
}
