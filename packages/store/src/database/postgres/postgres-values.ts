import { types } from 'pg';
import type { CustomTypesConfig } from 'pg';

const INT8 = types.builtins.INT8;
const NUMERIC = types.builtins.NUMERIC;

/** `count` gives int8 and `sum` gives numeric; both are numbers on SQLite, so they are numbers here. */
function parseExactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`The database holds ${text}, which is beyond 2^53 and would be rounded.`);
  }
  return value;
}

/** How columns become JavaScript values. */
export const postgresTypes: CustomTypesConfig = {
  getTypeParser: ((oid, format) =>
    oid === INT8 || oid === NUMERIC
      ? parseExactNumber
      : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** Parameters as the wire wants them: text, bytes or null. Booleans become 1 and 0, as the schema stores them. */
export function toPostgresValue(value: unknown): string | Buffer | null {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value ? '1' : '0';
    case 'number':
    case 'bigint':
      return String(value);
    case 'string':
      return value;
    default:
      if (value === null) return null;
      if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      throw new TypeError(
        'A query parameter is an object; the store takes text, numbers, bytes and null. Stringify it.',
      );
  }
}

export function toPostgresValues(values: readonly unknown[]): (string | Buffer | null)[] {
  return values.map((value) => toPostgresValue(value));
}
