import type { Histogram } from '../../rl/metrics/distribution.ts';
import { maskedCrc32c } from './crc32c.ts';

export interface SummaryEvent {
  /** Seconds since 1970. */
  wallTime: number;
  step: number;
  values: Readonly<Record<string, number>>;
  histograms?: Readonly<Record<string, Histogram>> | undefined;
}

/** The first record of every event file. */
export const encodeVersionRecord = (wallTime: number): Uint8Array =>
  toRecord(concat([doubleField(1, wallTime), bytesField(3, encodeText('brain.Event:2'))]));

/** One record with a scalar or a histogram per name: the `Event` message of TensorBoard, fields 1 wall_time, 2 step, 5 summary. */
export function encodeSummaryRecord({ wallTime, step, values, histograms = {} }: SummaryEvent): Uint8Array {
  const toValue = (name: string, field: Uint8Array): Uint8Array =>
    bytesField(1, concat([bytesField(1, encodeText(name)), field]));
  const summary = [
    ...Object.entries(values).map(([name, value]) => toValue(name, floatField(2, value))),
    ...Object.entries(histograms).map(([name, value]) => toValue(name, bytesField(5, encodeHistogram(value)))),
  ];
  return toRecord(concat([doubleField(1, wallTime), varintField(2, step), bytesField(5, concat(summary))]));
}

/** The `HistogramProto` of TensorBoard: 1 min, 2 max, 3 num, 4 sum, 5 sum_squares, 6 upper limits, 7 counts. */
function encodeHistogram({ edges, counts, sum, squares }: Histogram): Uint8Array {
  const number = counts.reduce((total, count) => total + count, 0);
  return concat([
    doubleField(1, edges[0] ?? 0),
    doubleField(2, edges.at(-1) ?? 0),
    doubleField(3, number),
    doubleField(4, sum),
    doubleField(5, squares),
    bytesField(6, new Uint8Array(Float64Array.from(edges.slice(1)).buffer)),
    bytesField(7, new Uint8Array(Float64Array.from(counts).buffer)),
  ]);
}

/** Length, its checksum, the data, its checksum. */
function toRecord(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(data.length + 16);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(record.subarray(0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc32c(data), true);
  return record;
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);
const tag = (field: number, wireType: number): Uint8Array => encodeVarint(field * 8 + wireType);
const varintField = (field: number, value: number): Uint8Array => concat([tag(field, 0), encodeVarint(value)]);
const bytesField = (field: number, value: Uint8Array): Uint8Array =>
  concat([tag(field, 2), encodeVarint(value.length), value]);

function doubleField(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return concat([tag(field, 1), bytes]);
}

function floatField(field: number, value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return concat([tag(field, 5), bytes]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
