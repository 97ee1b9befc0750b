import { PythonFloat } from '../python/python-float.ts';
import { PYTHON_SPACE, formatTemplateJson, formatPythonText } from '../python/python-text.ts';
import { iterate, listEntries, readAttribute, readSubscript } from './members.ts';
import { compareValues, isEqual } from './operators.ts';
import { applyTest } from './tests.ts';
import { type TextMark, countCharacters, toCharacters, withoutMark } from './text-mark.ts';
import { capitalizeText, replaceText, stripText, titleText } from './text-methods.ts';
import {
  type CallArguments,
  Tuple,
  Undefined,
  type Value,
  isInteger,
  isNumeric,
  isTruthy,
  nameType,
  orUndefined,
  readName,
  templateFailure,
} from './values.ts';

type Filter = (value: Value, args: CallArguments, mark: TextMark) => Value;

/** The filters of Jinja that chat templates use, with the `tojson` of transformers. */
const FILTERS = new Map<string, Filter>([
  ['tojson', writeJson],
  ['safe', (value) => value],
  ['string', (value, _args, mark) => formatPythonText(value, mark)],
  [
    'trim',
    (value, args, mark) =>
      stripText(formatPythonText(value, mark), readTextOption(args, 0, 'chars') ?? PYTHON_SPACE, 'both', mark),
  ],
  ['upper', (value, _args, mark) => formatPythonText(value, mark).toUpperCase()],
  ['lower', (value, _args, mark) => formatPythonText(value, mark).toLowerCase()],
  ['title', (value, _args, mark) => titleText(formatPythonText(value, mark), mark)],
  ['capitalize', (value, _args, mark) => capitalizeText(formatPythonText(value, mark), mark)],
  ['replace', replaceFilter],
  ['indent', indentLines],
  ['length', countItems],
  ['count', countItems],
  ['list', (value, _args, mark) => [...iterate(value, mark)]],
  ['first', (value, _args, mark) => orUndefined(iterate(value, mark)[0], 'first')],
  ['last', (value, _args, mark) => orUndefined(iterate(value, mark).at(-1), 'last')],
  [
    'reverse',
    (value, _args, mark) =>
      typeof value === 'string' ? toCharacters(value, mark).toReversed().join('') : iterate(value, mark).toReversed(),
  ],
  ['join', joinFilter],
  ['unique', (value, _args, mark) => listUnique(iterate(value, mark), mark)],
  ['sort', sortFilter],
  ['sum', (value, _args, mark) => iterate(value, mark).reduce<Value>((sum, item) => addNumbers(sum, item), 0)],
  ['max', (value, _args, mark) => pickExtreme(iterate(value, mark), 1, mark)],
  ['min', (value, _args, mark) => pickExtreme(iterate(value, mark), -1, mark)],
  ['items', (value) => listItems(value)],
  ['dictsort', sortDict],
  ['map', mapFilter],
  ['select', (value, args, mark) => iterate(value, mark).filter((item) => passes(item, args, 0, mark))],
  ['reject', (value, args, mark) => iterate(value, mark).filter((item) => !passes(item, args, 0, mark))],
  [
    'selectattr',
    (value, args, mark) =>
      iterate(value, mark).filter((item) => passes(readPath(item, args.positional[0] ?? null, mark), args, 1, mark)),
  ],
  [
    'rejectattr',
    (value, args, mark) =>
      iterate(value, mark).filter((item) => !passes(readPath(item, args.positional[0] ?? null, mark), args, 1, mark)),
  ],
  ['default', defaultFilter],
  ['d', defaultFilter],
  ['int', toIntegerFilter],
  ['float', toFloatFilter],
  ['abs', (value) => (value instanceof PythonFloat ? new PythonFloat(Math.abs(value.value)) : Math.abs(Number(value)))],
  ['attr', (value, args, mark) => readAttribute(value, readTextOption(args, 0, 'name') ?? '', mark)],
]);

export function applyFilter(name: string, value: Value, args: CallArguments, mark: TextMark): Value {
  const filter = FILTERS.get(name);
  if (filter === undefined) throw templateFailure(`the filter ${name} is not known`);
  return filter(value, args, mark);
}

function readOption(args: CallArguments, index: number, name: string): Value | undefined {
  const given = args.positional[index];
  return given === undefined ? args.named.get(name) : given;
}

function readTextOption(args: CallArguments, index: number, name: string): string | undefined {
  const value = readOption(args, index, name) ?? null;
  if (value === null) return undefined;
  if (typeof value !== 'string') throw templateFailure(`${name} must be a string, not ${nameType(value)}`);
  return value;
}

function writeJson(value: Value, args: CallArguments, mark: TextMark): Value {
  const indent = readOption(args, 1, 'indent') ?? null;
  const separators = readOption(args, 2, 'separators') ?? null;
  const pair = separators instanceof Tuple ? separators.items : separators;
  if (indent !== null && !isInteger(indent) && typeof indent !== 'string')
    throw templateFailure('indent must be a number');
  if (pair !== null && !(Array.isArray(pair) && pair.length === 2))
    throw templateFailure('separators must be two strings');
  return formatTemplateJson(
    value,
    {
      ensureAscii: isTruthy(readOption(args, 0, 'ensure_ascii') ?? false),
      indent: indent === null ? undefined : typeof indent === 'string' ? indent : Number(indent),
      separators: pair === null ? undefined : [String(pair[0]), String(pair[1])],
      sortKeys: isTruthy(readOption(args, 3, 'sort_keys') ?? false),
    },
    mark,
  );
}

function replaceFilter(value: Value, args: CallArguments, mark: TextMark): Value {
  const [from, to] = [readTextOption(args, 0, 'old'), readTextOption(args, 1, 'new')];
  if (from === undefined || to === undefined) throw templateFailure('replace needs two strings');
  const count = readOption(args, 2, 'count') ?? null;
  return replaceText(formatPythonText(value, mark), from, to, isInteger(count) ? Number(count) : -1, mark);
}

function indentLines(value: Value, args: CallArguments, mark: TextMark): Value {
  const width = readOption(args, 0, 'width') ?? 4;
  const step = typeof width === 'string' ? width : ' '.repeat(Number(width));
  const isFirstIndented = isTruthy(readOption(args, 1, 'first') ?? false);
  const isBlankIndented = isTruthy(readOption(args, 2, 'blank') ?? false);
  return formatPythonText(value, mark)
    .split('\n')
    .map((line, index) => ((index === 0 ? !isFirstIndented : !isBlankIndented && line === '') ? line : step + line))
    .join('\n');
}

function countItems(value: Value, _args: CallArguments, mark: TextMark): Value {
  if (typeof value === 'string') return countCharacters(value, mark);
  return value instanceof Map ? value.size : iterate(value, mark).length;
}

function joinFilter(value: Value, args: CallArguments, mark: TextMark): Value {
  const attribute = args.named.get('attribute') ?? args.positional[1] ?? null;
  const items = iterate(value, mark).map((item) => (attribute === null ? item : readPath(item, attribute, mark)));
  return items.map((item) => formatPythonText(item, mark)).join(readTextOption(args, 0, 'd') ?? '');
}

function listUnique(items: readonly Value[], mark: TextMark): Value[] {
  const fold = (item: Value): Value => (typeof item === 'string' ? item.toLowerCase() : item);
  return items.filter((item, index) => items.findIndex((other) => isEqual(fold(other), fold(item), mark)) === index);
}

function sortFilter(value: Value, args: CallArguments, mark: TextMark): Value {
  const attribute = readOption(args, 2, 'attribute') ?? null;
  const isCaseKept = isTruthy(readOption(args, 1, 'case_sensitive') ?? false);
  const readKey = (item: Value): Value => {
    const key = attribute === null ? item : readPath(item, attribute, mark);
    return typeof key === 'string' && !isCaseKept ? key.toLowerCase() : key;
  };
  return sortBy(iterate(value, mark), readKey, isTruthy(readOption(args, 0, 'reverse') ?? false), mark);
}

function sortDict(value: Value, args: CallArguments, mark: TextMark): Value {
  if (!(value instanceof Map)) throw templateFailure(`dictsort needs a dict, not ${nameType(value)}`);
  const isCaseKept = isTruthy(readOption(args, 0, 'case_sensitive') ?? false);
  const column = readTextOption(args, 1, 'by') === 'value' ? 1 : 0;
  const readKey = (entry: Value): Value => {
    const key = entry instanceof Tuple ? (entry.items[column] ?? null) : null;
    return typeof key === 'string' && !isCaseKept ? key.toLowerCase() : key;
  };
  return sortBy(listEntries(value), readKey, isTruthy(readOption(args, 2, 'reverse') ?? false), mark);
}

function sortBy(
  items: readonly Value[],
  readKey: (item: Value) => Value,
  isReversed: boolean,
  mark: TextMark,
): Value[] {
  const sign = isReversed ? -1 : 1;
  return items.toSorted((a, b) => sign * compareValues(readKey(a), readKey(b), mark));
}

function pickExtreme(items: readonly Value[], sign: 1 | -1, mark: TextMark): Value {
  const [first = new Undefined('no items'), ...rest] = items;
  return rest.reduce((best, item) => (sign * compareValues(item, best, mark) > 0 ? item : best), first);
}

function addNumbers(left: Value, right: Value): Value {
  if (!isNumeric(left) || !isNumeric(right)) throw templateFailure('sum needs numbers');
  const sum = Number(left) + Number(right);
  return left instanceof PythonFloat || right instanceof PythonFloat ? new PythonFloat(sum) : sum;
}

function listItems(value: Value): Value {
  if (value instanceof Undefined) return [];
  if (!(value instanceof Map)) throw templateFailure(`items needs a dict, not ${nameType(value)}`);
  return listEntries(value);
}

function mapFilter(value: Value, args: CallArguments, mark: TextMark): Value {
  const attribute = args.named.get('attribute');
  if (attribute !== undefined) {
    const absent = args.named.get('default');
    return iterate(value, mark).map((item) => {
      const found = readPath(item, attribute, mark);
      return found instanceof Undefined && absent !== undefined ? absent : found;
    });
  }
  const [name, ...rest] = args.positional;
  if (typeof name !== 'string') throw templateFailure('map needs the name of a filter, or attribute');
  return iterate(value, mark).map((item) => applyFilter(name, item, { positional: rest, named: args.named }, mark));
}

function passes(value: Value, args: CallArguments, index: number, mark: TextMark): boolean {
  const name = args.positional[index];
  if (name === undefined) return isTruthy(value);
  return applyTest(readName(name), value, args.positional[index + 1] ?? null, mark);
}

function readPath(item: Value, path: Value, mark: TextMark): Value {
  if (isInteger(path)) return readSubscript(item, path, mark);
  const parts = withoutMark(readName(path), mark).split('.');
  return parts.reduce<Value>(
    (value, part) => readSubscript(value, /^\d+$/.test(part) ? Number(part) : part, mark),
    item,
  );
}

function defaultFilter(value: Value, args: CallArguments): Value {
  const isForFalse = isTruthy(readOption(args, 1, 'boolean') ?? false);
  if (!(value instanceof Undefined) && !(isForFalse && !isTruthy(value))) return value;
  const absent = readOption(args, 0, 'default_value');
  return absent === undefined ? '' : absent;
}

function toIntegerFilter(value: Value, args: CallArguments): Value {
  if (isInteger(value)) return value;
  const number = typeof value === 'string' ? readNumber(value) : isNumeric(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(number)) return Math.trunc(number);
  const absent = readOption(args, 0, 'default');
  return absent === undefined ? 0 : absent;
}

function toFloatFilter(value: Value, args: CallArguments): Value {
  const number = typeof value === 'string' ? readNumber(value) : isNumeric(value) ? Number(value) : Number.NaN;
  if (!Number.isNaN(number)) return new PythonFloat(number);
  const absent = readOption(args, 0, 'default');
  return absent === undefined ? new PythonFloat(0) : absent;
}

const readNumber = (text: string): number =>
  text.trim() === '' ? Number.NaN : Number(text.trim().replaceAll('_', ''));
