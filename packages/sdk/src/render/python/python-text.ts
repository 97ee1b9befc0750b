import { PythonFloat, formatPythonFloat } from './python-float.ts';
import { Namespace, Tuple, Undefined, type Value, nameType, templateFailure } from '../template/values.ts';
import type { TextMark } from '../template/text-mark.ts';

/** What `str.isspace` says yes to; JavaScript's own idea differs in both directions. */
export const PYTHON_SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

export interface JsonStyle {
  readonly indent?: number | string | undefined;
  readonly ensureAscii?: boolean;
  readonly separators?: readonly [item: string, key: string] | undefined;
  readonly sortKeys?: boolean;
}

/** `str(value)`, which is what `{{ value }}` prints. */
export function formatPythonText(value: Value, mark: TextMark): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  return formatPythonRepr(value, mark);
}

export function formatPythonRepr(value: Value, mark: TextMark): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return quotePythonText(value, mark);
  if (typeof value === 'number' || typeof value === 'bigint') return formatPythonInteger(value);
  if (value instanceof PythonFloat) return formatPythonFloat(value.value);
  if (Array.isArray(value)) return `[${value.map((item) => formatPythonRepr(item, mark)).join(', ')}]`;
  if (value instanceof Tuple) {
    const items = value.items.map((item) => formatPythonRepr(item, mark));
    return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
  }
  if (value instanceof Map) {
    const items = Array.from(value, ([key, item]) => `${formatPythonRepr(key, mark)}: ${formatPythonRepr(item, mark)}`);
    return `{${items.join(', ')}}`;
  }
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Namespace) return `<Namespace ${formatPythonRepr(new Map(value.attributes), mark)}>`;
  throw templateFailure('a function cannot be printed');
}

/** `json.dumps` with the options that templates may give to `tojson`. */
export function formatPythonJson(value: Value, style: JsonStyle, mark: TextMark): string {
  const isIndented = style.indent !== undefined;
  const [itemSeparator, keySeparator] = style.separators ?? [isIndented ? ',' : ', ', ': '];
  const step = typeof style.indent === 'string' ? style.indent : ' '.repeat(Math.max(0, style.indent ?? 0));
  const quote = (text: string): string => quoteJsonText(text, style.ensureAscii === true, mark);

  const wrap = (open: string, items: readonly string[], close: string, depth: number): string => {
    if (items.length === 0) return open + close;
    if (!isIndented) return open + items.join(itemSeparator) + close;
    const line = `\n${step.repeat(depth + 1)}`;
    return `${open}${line}${items.join(itemSeparator + line)}\n${step.repeat(depth)}${close}`;
  };
  const write = (item: Value, depth: number): string => {
    if (item === null) return 'null';
    if (typeof item === 'boolean') return item ? 'true' : 'false';
    if (typeof item === 'string') return quote(item);
    if (typeof item === 'number' || typeof item === 'bigint') return formatPythonInteger(item);
    if (item instanceof PythonFloat) return formatJsonFloat(item.value);
    if (Array.isArray(item))
      return wrap(
        '[',
        item.map((child) => write(child, depth + 1)),
        ']',
        depth,
      );
    if (item instanceof Tuple)
      return wrap(
        '[',
        item.items.map((child) => write(child, depth + 1)),
        ']',
        depth,
      );
    if (item instanceof Map) {
      const entries = Array.from(item, ([key, child]): [string, Value] => [formatJsonKey(key), child]);
      if (style.sortKeys === true) entries.sort(([a], [b]) => compareCodePoints(a, b));
      const lines = entries.map(([key, child]) => `${quote(key)}${keySeparator}${write(child, depth + 1)}`);
      return wrap('{', lines, '}', depth);
    }
    throw templateFailure(`${nameType(item)} is not JSON`);
  };
  return write(value, 0);
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

function formatPythonInteger(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
}

function formatJsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return formatPythonFloat(value);
}

function formatJsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (typeof key === 'number' || typeof key === 'bigint') return formatPythonInteger(key);
  if (key instanceof PythonFloat) return formatJsonFloat(key.value);
  throw templateFailure(`${nameType(key)} cannot be the key of a JSON object`);
}

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function quoteJsonText(text: string, ensureAscii: boolean, mark: TextMark): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to be escaped
  const escaped = text.replaceAll(/["\\\u0000-\u001f]/g, (unit) => JSON_ESCAPES[unit] ?? escapeUnit(unit));
  if (!ensureAscii) return `"${escaped}"`;
  return `"${escaped.replaceAll(/[\u007f-\uffff]/g, (unit) => (unit === mark.character || unit === '\u007f' ? unit : escapeUnit(unit)))}"`;
}

function quotePythonText(text: string, mark: TextMark): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const character of text) {
    if (character === mark.character) out += character;
    else if (character === quote || character === '\\') out += `\\${character}`;
    else if (character === '\n') out += '\\n';
    else if (character === '\r') out += '\\r';
    else if (character === '\t') out += '\\t';
    else if (character !== ' ' && /[\p{C}\p{Z}]/u.test(character)) out += escapePythonCharacter(character);
    else out += character;
  }
  return out + quote;
}

function escapePythonCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
