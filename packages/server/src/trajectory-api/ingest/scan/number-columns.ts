/** Integers as they are scanned: i32 until one does not fit, then doubles. */
export interface IntColumn {
  values: Int32Array | Float64Array;
  count: number;
  /** Some integer is beyond 2^53: the values are not exact and the field's text has to be kept instead. */
  isBeyondSafe: boolean;
}

export interface FloatColumn {
  values: Float64Array;
  count: number;
}

export interface LengthColumn {
  values: Uint32Array;
  count: number;
}

const INITIAL_CAPACITY = 1024;

export const createIntColumn = (): IntColumn => ({
  values: new Int32Array(INITIAL_CAPACITY),
  count: 0,
  isBeyondSafe: false,
});
export const createFloatColumn = (): FloatColumn => ({ values: new Float64Array(INITIAL_CAPACITY), count: 0 });
export const createLengthColumn = (): LengthColumn => ({ values: new Uint32Array(64), count: 0 });

export function resetIntColumn(column: IntColumn): void {
  column.count = 0;
  column.isBeyondSafe = false;
  // A wide column would send later groups through the slower mixed-type stores.
  if (column.values instanceof Float64Array) column.values = new Int32Array(INITIAL_CAPACITY);
}

/** Doubles the room; the scanning loops call it when they have filled `values`. */
export function growIntColumn(column: IntColumn): void {
  const wider = column.values instanceof Int32Array ? Int32Array : Float64Array;
  const grown = new wider(column.values.length * 2);
  grown.set(column.values);
  column.values = grown;
}

export function growFloatColumn(column: FloatColumn): void {
  const grown = new Float64Array(column.values.length * 2);
  grown.set(column.values);
  column.values = grown;
}

export function pushInt(column: IntColumn, value: number): void {
  if (column.count === column.values.length) growIntColumn(column);
  if (column.values instanceof Int32Array && value !== (value | 0)) {
    const widened = new Float64Array(column.values.length);
    widened.set(column.values);
    column.values = widened;
  }
  if (!Number.isSafeInteger(value)) column.isBeyondSafe = true;
  column.values[column.count++] = value;
}

export function pushFloat(column: FloatColumn, value: number): void {
  if (column.count === column.values.length) growFloatColumn(column);
  column.values[column.count++] = value;
}

export function pushLength(column: LengthColumn, value: number): void {
  if (column.count === column.values.length) {
    const grown = new Uint32Array(column.values.length * 2);
    grown.set(column.values);
    column.values = grown;
  }
  column.values[column.count++] = value;
}
