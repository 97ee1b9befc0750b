import { findBrokenBound, LachesisError, type ConfigField } from '@lachesis/protocol';
import type { JsonValue } from '@lachesis/store';

/** Reads a value for a field, and refuses one beyond its bounds. It arrives as JSON, and from some tools as text. */
export function readFieldValue(field: ConfigField, value: unknown): JsonValue {
  const { name, type, bounds } = field;
  const refuse = (allowed: string): LachesisError =>
    new LachesisError({
      code: 'invalid',
      message: `${name} must be ${allowed}, and ${shorten(value)} was given`,
      hint: `Its value is ${shorten(field.default)} when nobody changes it.`,
    });
  if (value === null && field.default === null) return null;
  const read = readTyped(type, value, refuse);
  const broken = bounds === undefined ? undefined : findBrokenBound(bounds, read);
  if (broken !== undefined) throw refuse(broken);
  return read;
}

function readTyped(type: string, value: unknown, refuse: Refuse): JsonValue {
  if (type.includes('|')) return readChoice(type.split('|'), value, refuse);
  switch (type) {
    case 'integer':
    case 'number':
      return readNumber(type, value, refuse);
    case 'boolean':
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      throw refuse('true or false');
    case 'string':
      if (typeof value === 'string') return value;
      throw refuse('a text');
    case 'list':
    case 'object':
      return readStructure(type, value, refuse);
    default:
      // The source names a type that only running the environment would check; the environment checks it.
      if (value === undefined) throw refuse('a value');
      return value as JsonValue;
  }
}

type Refuse = (allowed: string) => LachesisError;

function readNumber(type: string, value: unknown, refuse: Refuse): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const isWhole = type === 'integer';
  if (typeof number !== 'number' || !Number.isFinite(number)) throw refuse(isWhole ? 'a whole number' : 'a number');
  if (isWhole && !Number.isSafeInteger(number)) throw refuse('a whole number');
  return number;
}

function readChoice(choices: readonly string[], value: unknown, refuse: Refuse): string {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw refuse(`one of ${choices.join(', ')}`);
}

function readStructure(type: 'list' | 'object', value: unknown, refuse: Refuse): JsonValue {
  const parsed = typeof value === 'string' ? tryJson(value) : value;
  const isList = Array.isArray(parsed);
  if (type === 'list' && isList) return parsed as JsonValue;
  if (type === 'object' && !isList && typeof parsed === 'object' && parsed !== null) return parsed as JsonValue;
  throw refuse(type === 'list' ? 'a list, such as ["a", "b"]' : 'an object, such as {"a": 1}');
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is refused by what it is not.
    return undefined;
  }
}

const shorten = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? 'nothing';
