import type { SqliteValue } from './sqlite-messages.ts';

/** What SQLite can bind. Booleans become 0 and 1, as the schema stores them. */
export function toSqliteValue(value: unknown): SqliteValue {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value ? 1 : 0;
    case 'number':
    case 'bigint':
    case 'string':
      return value;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError(
        'A query parameter is an object; the store takes text, numbers, bytes and null. Stringify it.',
      );
  }
}

export function toSqliteValues(values: readonly unknown[]): SqliteValue[] {
  return values.map((value) => toSqliteValue(value));
}
