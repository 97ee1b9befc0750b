/**
 * JSON whose numbers keep the text they were written with. Python tells 1.0 from 1 and builds float or integer arrays
 * from it, so a test that reads numbers as doubles would not see the difference.
 */
export type ExactJson = null | boolean | string | ExactNumber | ExactJson[] | { [key: string]: ExactJson };

/** A number as written; `JSON.stringify` writes the same text again. */
export interface ExactNumber {
  readonly rawJSON: string;
}

// Part of ES2026 and of Node 24; TypeScript's library does not describe it yet.
interface SourceTextJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}
const json = JSON as unknown as SourceTextJson;

export function parseExact(text: string): ExactJson {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? json.rawJSON(source) : value,
  ) as ExactJson;
}

/** A number with this text, e.g. `exact('1.0')`, which JavaScript alone would write as 1. */
export function exact(text: string): ExactNumber {
  return json.rawJSON(text);
}

/** Where and how two values differ, or undefined when they are the same to a Python reader. */
export function findDifference(want: ExactJson, got: ExactJson, path = '$'): string | undefined {
  if (json.isRawJSON(want) && json.isRawJSON(got)) {
    return isSameNumber(want.rawJSON, got.rawJSON) ? undefined : `${path}: want ${want.rawJSON}, got ${got.rawJSON}`;
  }
  if (Array.isArray(want) && Array.isArray(got)) {
    if (want.length !== got.length) return `${path}: want ${want.length} elements, got ${got.length}`;
    return findFirst(want.keys(), (index) =>
      findDifference(want[index] ?? null, got[index] ?? null, `${path}[${index}]`),
    );
  }
  if (isObject(want) && isObject(got)) {
    const keys = [Object.keys(want).sort().join(), Object.keys(got).sort().join()];
    if (keys[0] !== keys[1]) return `${path}: want keys ${keys[0]}, got ${keys[1]}`;
    return findFirst(Object.keys(want), (key) => findDifference(want[key] ?? null, got[key] ?? null, `${path}.${key}`));
  }
  return want === got ? undefined : `${path}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
}

/**
 * The same text, or two spellings of one double that Python reads as float (1e-07 and 1e-7): a float never equals an
 * integer.
 */
function isSameNumber(want: string, got: string): boolean {
  return want === got || (isFloat(want) && isFloat(got) && Object.is(Number(want), Number(got)));
}

function isFloat(text: string): boolean {
  return /[.eE]/.test(text);
}

function isObject(value: ExactJson): value is { [key: string]: ExactJson } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);
}

function findFirst<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
