import { PythonFloat } from '../python/python-float.ts';
import { RenderError } from '../errors/render-error.ts';

/**
 * What a template computes with, shaped after Python: an integer is a number or a bigint, a float is a PythonFloat, a list an
 * array, a dict a Map. Strings are plain strings; `TextMark` tells how text of messages is told apart in them.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | PythonFloat
  | Value[]
  | Tuple
  | Dict
  | Namespace
  | Undefined
  | Callable;

export type Dict = Map<Value, Value>;

export class Tuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** What `namespace(…)` makes: the one thing a template may change from inside a loop. */
export class Namespace {
  readonly attributes = new Map<string, Value>();
}

/** A name or attribute that is not there: prints as nothing, is false, and refuses to be used further. */
export class Undefined {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface CallArguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  readonly call: (args: CallArguments) => Value;
  constructor(call: (args: CallArguments) => Value) {
    this.call = call;
  }
}

/** What Python would raise as TypeError, UndefinedError or SecurityError. */
export function templateFailure(reason: string): RenderError {
  return new RenderError({ kind: 'template-failed', reason: `The chat template failed: ${reason}.` });
}

export function nameType(value: Value): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number' || typeof value === 'bigint') return 'integer';
  if (value instanceof PythonFloat) return 'float';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Map) return 'dict';
  if (value instanceof Namespace) return 'namespace';
  return value instanceof Undefined ? `undefined (${value.name})` : 'function';
}

export const isInteger = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

export const isNumeric = (value: Value): value is number | bigint | boolean | PythonFloat =>
  isInteger(value) || typeof value === 'boolean' || value instanceof PythonFloat;

export function isTruthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof PythonFloat) return value.value !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (typeof value === 'object') return true;
  return Boolean(value);
}

/** The name of a test, an argument or an attribute. */
export function readName(value: Value): string {
  if (typeof value !== 'string') throw templateFailure(`${nameType(value)} is no name`);
  return value;
}

/** A value that may be absent; `??` would take None for absent too. */
export const orUndefined = (value: Value | undefined, name: string): Value =>
  value === undefined ? new Undefined(name) : value;

/** Keeps an integer a number while it is exact as one. */
export function toInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
