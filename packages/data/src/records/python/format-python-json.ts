import { PythonFloat } from '@lachesis/sdk/render';

/**
 * `json.dumps(value, ensure_ascii=False)`: a space behind `:` and `,`, floats with their point. Numbers are what `parsePythonJson`
 * makes of them; a plain number with a fraction is a float, one without is an integer.
 *
 * Half of a surrogate pair has no UTF-8 form; it is written as `\udXXX`, where Python fails.
 */
export function formatPythonJson(value: unknown, indent?: number): string {
  return write(value, indent, 0);
}

function write(value: unknown, indent: number | undefined, depth: number): string {
  switch (typeof value) {
    case 'string':
      // The same bytes as Python's but for halves of surrogate pairs.
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return formatNumber(value);
    case 'bigint':
      return String(value);
    case 'object':
      break;
    default:
      return 'null';
  }
  if (value === null) return 'null';
  if (PythonFloat.isInstance(value)) return formatFloat(value.value);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => write(item, indent, depth + 1));
    return wrap('[', items, ']', indent, depth);
  }
  const entries: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  const items: string[] = [];
  for (const [key, item] of entries) {
    if (item !== undefined) items.push(`${quoteKey(String(key))}: ${write(item, indent, depth + 1)}`);
  }
  return wrap('{', items, '}', indent, depth);
}

const PLAIN_KEY = /^\w+$/;

/** Most keys are words, and those need no escapes. */
const quoteKey = (key: string): string => (PLAIN_KEY.test(key) ? `"${key}"` : JSON.stringify(key));

function wrap(
  open: string,
  items: readonly string[],
  close: string,
  indent: number | undefined,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(', ') + close;
  const line = `\n${' '.repeat(indent * (depth + 1))}`;
  return `${open}${line}${items.join(`,${line}`)}\n${' '.repeat(indent * depth)}${close}`;
}

function formatNumber(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  // No JSON text gives a plain number of this kind but a float.
  return formatFloat(value);
}

function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return new PythonFloat(value).toString();
}
