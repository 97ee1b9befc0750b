import { type TextMark, toCharacters } from './text-mark.ts';
import { readTextMethod } from './text-methods.ts';
import { isEqual } from './operators.ts';
import {
  Callable,
  type Dict,
  Namespace,
  Tuple,
  Undefined,
  type Value,
  isInteger,
  nameType,
  orUndefined,
  readName,
  templateFailure,
} from './values.ts';

/** `object.name`: attributes and methods come before the keys of a dict. */
export function readAttribute(object: Value, name: string, mark: TextMark): Value {
  refuseUndefined(object, name);
  return readMethod(object, name, mark) ?? orUndefined(readItem(object, name), name);
}

/** `object[key]`: the keys of a dict come before its methods. */
export function readSubscript(object: Value, key: Value, mark: TextMark): Value {
  refuseUndefined(object, typeof key === 'string' ? key : nameType(key));
  if (isInteger(key)) {
    const items = readSequence(object, mark);
    if (items !== undefined) return orUndefined(items.at(Number(key)), `item ${key}`);
  }
  const item = readItem(object, key);
  if (item !== undefined) return item;
  return (
    (typeof key === 'string' ? readMethod(object, key, mark) : undefined) ??
    new Undefined(typeof key === 'string' ? key : nameType(key))
  );
}

export interface SliceBounds {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

export function readSlice(object: Value, bounds: SliceBounds, mark: TextMark): Value {
  const items = readSequence(object, mark);
  if (items === undefined) throw templateFailure(`${nameType(object)} cannot be sliced`);
  const step = readBound(bounds.step) ?? 1;
  if (step === 0) throw templateFailure('the step of a slice is zero');
  const low = step < 0 ? -1 : 0;
  const high = step < 0 ? items.length - 1 : items.length;
  const clamp = (bound: number | undefined, absent: number): number => {
    if (bound === undefined) return absent;
    return Math.min(high, Math.max(low, bound < 0 ? bound + items.length : bound));
  };
  const start = clamp(readBound(bounds.start), step < 0 ? high : low);
  const stop = clamp(readBound(bounds.stop), step < 0 ? low : high);
  const picked: Value[] = [];
  for (let index = start; step < 0 ? index > stop : index < stop; index += step) picked.push(items[index] ?? null);
  if (typeof object === 'string') return picked.map(readName).join('');
  return object instanceof Tuple ? new Tuple(picked) : picked;
}

/** What a `for` loop, `list` and the like go through. */
export function iterate(value: Value, mark: TextMark): readonly Value[] {
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof Undefined) return [];
  const items = readSequence(value, mark);
  if (items === undefined) throw templateFailure(`${nameType(value)} cannot be gone through`);
  return items;
}

function readSequence(value: Value, mark: TextMark): readonly Value[] | undefined {
  if (typeof value === 'string') return toCharacters(value, mark);
  if (value instanceof Tuple) return value.items;
  return Array.isArray(value) ? value : undefined;
}

function readBound(value: Value): number | undefined {
  if (value === null || value instanceof Undefined) return undefined;
  if (!isInteger(value)) throw templateFailure(`${nameType(value)} cannot bound a slice`);
  return Number(value);
}

function refuseUndefined(object: Value, name: string): void {
  if (object instanceof Undefined) throw templateFailure(`${object.name} is undefined and has no ${name}`);
}

function readItem(object: Value, key: Value): Value | undefined {
  if (object instanceof Map) return object.get(key);
  return object instanceof Namespace && typeof key === 'string' ? object.attributes.get(key) : undefined;
}

function readMethod(object: Value, name: string, mark: TextMark): Callable | undefined {
  if (typeof object === 'string') return readTextMethod(object, name, mark);
  if (object instanceof Map) return readDictMethod(object, name);
  const items = Array.isArray(object) ? object : object instanceof Tuple ? object.items : undefined;
  if (items === undefined) return undefined;
  if (name === 'count') {
    return new Callable(({ positional }) => items.filter((item) => isEqual(item, positional[0] ?? null, mark)).length);
  }
  if (name === 'index') {
    return new Callable(({ positional }) => {
      const at = items.findIndex((item) => isEqual(item, positional[0] ?? null, mark));
      if (at < 0) throw templateFailure('index looks for what is not in the list');
      return at;
    });
  }
  return undefined;
}

function readDictMethod(dict: Dict, name: string): Callable | undefined {
  switch (name) {
    case 'get':
      return new Callable(({ positional: [key = null, absent = null] }) => {
        const value = dict.get(key);
        return value === undefined ? absent : value;
      });
    case 'items':
      return new Callable(() => listEntries(dict));
    case 'keys':
      return new Callable(() => [...dict.keys()]);
    case 'values':
      return new Callable(() => [...dict.values()]);
    case 'copy':
      return new Callable(() => new Map(dict));
    default:
      return undefined;
  }
}

export function listEntries(dict: Dict): Tuple[] {
  return Array.from(dict, (entry) => new Tuple(entry));
}
