import { type PythonJsonStyle, formatJsonFloat, formatPythonJson } from './format-python-json.ts';
import { PythonFloat, formatPythonFloat } from './python-float.ts';
import { Namespace, Tuple, Undefined, type Value, nameType, templateFailure } from '../template/values.ts';
import type { TextMark } from '../template/text-mark.ts';

/** What `str.isspace` says yes to; JavaScript's own idea differs in both directions. */
export const PYTHON_SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

export interface JsonStyle extends Pick<PythonJsonStyle, 'indent' | 'separators' | 'sortKeys'> {
  readonly ensureAscii?: boolean;
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
export function formatTemplateJson(value: Value, { ensureAscii = false, ...style }: JsonStyle, mark: TextMark): string {
  return formatPythonJson(value, {
    ...style,
    quote: (text) => quoteJsonText(text, ensureAscii, mark),
    formatNumber: formatPythonInteger,
    formatKey: (key) => formatJsonKey(key as Value),
    listItems: (item) => {
      if (item instanceof Tuple) return item.items;
      throw templateFailure(`${nameType(item as Value)} is not JSON`);
    },
  });
}

function formatPythonInteger(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
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
