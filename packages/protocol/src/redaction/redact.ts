import type { RedactedText, Redactor } from './create-redactor.ts';

export interface Redacted<T> {
  readonly value: T;
  /** How many secrets were taken out. */
  readonly found: number;
  /** How many texts could not be checked in time; a mark stands in the place of each. */
  readonly withheld: number;
}

export interface RedactOptions {
  /** How long it may take; texts that are not checked by then are withheld. Default: as long as it takes. */
  readonly budgetMs?: number | undefined;
  /** Milliseconds since some time. */
  readonly now?: (() => number) | undefined;
}

interface Walk {
  readonly redactor: Redactor;
  readonly isLate: () => boolean;
  found: number;
  withheld: number;
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
export function redact<T>(value: T, redactor: Redactor, options: RedactOptions = {}): Redacted<T> {
  const { budgetMs, now = () => performance.now() } = options;
  const deadline = budgetMs === undefined ? undefined : now() + budgetMs;
  const state: Walk = {
    redactor,
    isLate: deadline === undefined ? () => false : () => now() > deadline,
    found: 0,
    withheld: 0,
  };
  const kept = walk(value, undefined, state, 0) as T;
  return { value: kept, found: state.found, withheld: state.withheld };
}

function walk(value: unknown, name: string | undefined, state: Walk, depth: number): unknown {
  if (typeof value === 'string') return walkText(value, name, state);
  if (typeof value === 'number' && name !== undefined) {
    // A password of digits; token counts and ids are not named like secrets, and a doubtful name wants letters too.
    const mark = state.redactor.redactField(name, String(value));
    if (mark === undefined) return value;
    state.found += 1;
    return mark;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return null;
  return Array.isArray(value)
    ? walkList(value, name, state, depth)
    : walkObject(value as Record<string, unknown>, state, depth);
}

function walkText(text: string, name: string | undefined, state: Walk): string {
  const { redactor, isLate } = state;
  const mark = name === undefined ? undefined : redactor.redactField(name, text);
  if (mark !== undefined) {
    state.found += 1;
    return mark;
  }
  return takeText(
    name !== undefined && ID_NAMES.has(name) ? redactor.redactId(text, isLate) : redactor.redactText(text, isLate),
    state,
  );
}

function takeText({ text, found, isWithheld }: RedactedText, state: Walk): string {
  state.found += found;
  if (isWithheld === true) state.withheld += 1;
  return text;
}

function walkList(list: readonly unknown[], name: string | undefined, state: Walk, depth: number): readonly unknown[] {
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
    const item = walk(list[index], optionBefore(list, index) ?? name, state, depth + 1);
    if (item === list[index]) continue;
    changed ??= [...list];
    changed[index] = item;
  }
  return changed ?? list;
}

/** `["--password", "…"]`: in a list of arguments the option names what follows it. */
function optionBefore(list: readonly unknown[], index: number): string | undefined {
  const before = list[index - 1];
  return typeof before === 'string' && before.length < 60 && /^--?[A-Za-z][\w-]+$/.test(before)
    ? before.replace(/^-+/, '')
    : undefined;
}

function walkObject(object: Record<string, unknown>, state: Walk, depth: number): Record<string, unknown> {
  let isChanged = false;
  const entries = Object.entries(object).map(([key, item]): [string, unknown] => {
    const keptKey = takeText(state.redactor.redactText(key, state.isLate), state);
    const kept = walk(item, key, state, depth + 1);
    isChanged ||= keptKey !== key || kept !== item;
    return [keptKey, kept];
  });
  return isChanged ? Object.fromEntries(entries) : object;
}
