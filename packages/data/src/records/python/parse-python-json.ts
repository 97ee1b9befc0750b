import { type PythonJsonValue, PythonFloat, parseJson } from '@lachesis/sdk/render';

const WORDS: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity };
const HAS_WORD = /NaN|Infinity/;
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs;
/** No text of a JSON file holds it by accident, and the check below refuses the one that does. */
const MARK = '\u0000lachesis:';

/**
 * `json.loads(text)`: `1.0` stays a float, integers keep all digits, keys their order, and `NaN` and `Infinity` are numbers.
 * Throws a SyntaxError on what Python refuses too.
 */
export function parsePythonJson(text: string): PythonJsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!HAS_WORD.test(text) || text.includes('lachesis:')) throw error;
    const marked = text.replaceAll(STRING_OR_WORD, (part) =>
      part.startsWith('"') ? part : JSON.stringify(MARK + part),
    );
    return restore(parseJson(marked));
  }
}

function restore(value: PythonJsonValue): PythonJsonValue {
  if (typeof value === 'string') {
    const word = value.startsWith(MARK) ? WORDS[value.slice(MARK.length)] : undefined;
    return word === undefined ? value : new PythonFloat(word);
  }
  if (typeof value !== 'object' || value === null || PythonFloat.isInstance(value)) return value;
  if (Array.isArray(value)) return value.map((item: PythonJsonValue) => restore(item));
  const entries: Iterable<[string, PythonJsonValue]> = value instanceof Map ? value : Object.entries(value);
  return new Map(Array.from(entries, ([key, item]): [string, PythonJsonValue] => [key, restore(item)]));
}

/** The member of an object as `parsePythonJson` makes it, which is a plain object or a Map. */
export function memberOf(value: PythonJsonValue | undefined, key: string): PythonJsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || PythonFloat.isInstance(value))
    return undefined;
  if (value instanceof Map) return (value as ReadonlyMap<string, PythonJsonValue>).get(key);
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, PythonJsonValue>>)[key] : undefined;
}

export function isJsonObject(value: PythonJsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !PythonFloat.isInstance(value);
}

/** Members in their order. */
export function entriesOf(value: PythonJsonValue): [string, PythonJsonValue][] {
  if (!isJsonObject(value)) return [];
  return value instanceof Map
    ? [...(value as ReadonlyMap<string, PythonJsonValue>)]
    : (Object.entries(value as object) as [string, PythonJsonValue][]);
}
