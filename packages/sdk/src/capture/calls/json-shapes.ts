import { isRecord } from '@lachesis/protocol';

/** Reading what strangers sent: everything is possible, nothing throws. */

export type JsonFields = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): JsonFields => (isRecord(value) ? value : {});

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** A number that counts something, or a version: whole and not below zero. */
export const asCount = (value: unknown): number | undefined => {
  const count = Math.round(asNumber(value) ?? -1);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
};

/** A list that should hold numbers. What its elements are is checked once, when the record is made: such lists are long. */
export const toNumbers = (value: unknown): number[] | undefined =>
  Array.isArray(value) ? (value as number[]) : undefined;

/** The text itself, or anything else as JSON. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller records what it knows without it.
    return undefined;
  }
}
