import { PythonFloat, formatPythonFloat } from './python-float.ts';

/** How templates print, who have values of their own; without it, plain JSON values as Python's `json.dumps` prints them. */
export interface PythonJsonStyle {
  readonly indent?: number | string | undefined;
  readonly separators?: readonly [item: string, key: string] | undefined;
  readonly sortKeys?: boolean;
  readonly quote?: (text: string) => string;
  readonly formatNumber?: (value: number) => string;
  readonly formatKey?: (key: unknown) => string;
  /** The items of what is neither a list nor a Map, or an error. Without it every object is one of fields. */
  readonly listItems?: (value: unknown) => readonly unknown[];
}

/**
 * `json.dumps(value, ensure_ascii=False)`: a space behind `:` and `,`, floats with their point. Numbers are what `parseJson`
 * makes of them; a plain number with a fraction is a float, one without is an integer.
 *
 * Half of a surrogate pair has no UTF-8 form; it is written as `\udXXX`, where Python fails.
 */
export function formatPythonJson(value: unknown, style: PythonJsonStyle = {}): string {
  const { indent, sortKeys = false, formatNumber = formatPlainNumber, formatKey = String, listItems } = style;
  const isIndented = indent !== undefined;
  const [itemSeparator, keySeparator] = style.separators ?? [isIndented ? ',' : ', ', ': '];
  const step = typeof indent === 'string' ? indent : ' '.repeat(Math.max(0, indent ?? 0));
  // JSON's own way has the same bytes as Python's but for halves of surrogate pairs.
  const quote = style.quote ?? JSON.stringify;
  const quoteKey = style.quote ?? quotePlainKey;

  const wrap = (open: string, items: readonly string[], close: string, depth: number): string => {
    if (items.length === 0) return open + close;
    if (!isIndented) return open + items.join(itemSeparator) + close;
    const line = `\n${step.repeat(depth + 1)}`;
    return `${open}${line}${items.join(itemSeparator + line)}\n${step.repeat(depth)}${close}`;
  };
  const writeList = (items: readonly unknown[], depth: number): string => {
    const written = items.map((item) => write(item, depth + 1));
    return wrap('[', written, ']', depth);
  };
  const writeFields = (fields: Iterable<[unknown, unknown]>, depth: number): string => {
    const entries: [string, unknown][] = [];
    for (const [key, item] of fields) if (item !== undefined) entries.push([formatKey(key), item]);
    if (sortKeys) entries.sort(([a], [b]) => compareCodePoints(a, b));
    const written = entries.map(([key, item]) => `${quoteKey(key)}${keySeparator}${write(item, depth + 1)}`);
    return wrap('{', written, '}', depth);
  };
  function write(item: unknown, depth: number): string {
    switch (typeof item) {
      case 'string':
        return quote(item);
      case 'boolean':
        return item ? 'true' : 'false';
      case 'number':
        return formatNumber(item);
      case 'bigint':
        return String(item);
      case 'object':
        break;
      default:
        return listItems === undefined ? 'null' : writeList(listItems(item), depth);
    }
    if (item === null) return 'null';
    if (PythonFloat.isInstance(item)) return formatJsonFloat(item.value);
    if (Array.isArray(item)) return writeList(item, depth);
    if (item instanceof Map) return writeFields(item, depth);
    return listItems === undefined ? writeFields(Object.entries(item), depth) : writeList(listItems(item), depth);
  }
  return write(value, 0);
}

export function formatJsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return formatPythonFloat(value);
}

/** Order of Python's strings: by code point, where JavaScript's is by half of a surrogate pair. */
export function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const PLAIN_KEY = /^\w+$/;

/** Most keys are words, and those need no escapes. */
const quotePlainKey = (key: string): string => (PLAIN_KEY.test(key) ? `"${key}"` : JSON.stringify(key));

function formatPlainNumber(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  // No JSON text gives a plain number of this kind but a float.
  return formatJsonFloat(value);
}
