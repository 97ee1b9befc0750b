import type { z } from 'zod';
import { isRecord } from '@lachesis/protocol';
import { ConfigError } from './config-error.ts';
import { findNearestName } from './find-nearest-name.ts';
import { readElement, readFields } from './schema-shape.ts';

/** A value at a path, such as `openai.0.base_url`. */
export type FlatValues = Map<string, unknown>;

export interface FlattenOptions {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** For the refusal, such as `the command line`. */
  readonly source: string;
  readonly path?: string;
  readonly into?: FlatValues;
}

/**
 * Brings nested values to one value per path and refuses names the schema does not have. Lists of objects are gone into, so
 * that two sources can each set some fields of one server; other lists are one value.
 */
export function flattenValues({ schema, value, source, path = '', into = new Map() }: FlattenOptions): FlatValues {
  const fields = readFields(schema);
  if (fields !== undefined && isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) throw unknownKey({ name, path, known: Object.keys(fields), source });
      flattenValues({ schema: field, value: inner, source, path: join(path, name), into });
    }
    return into;
  }
  const element = readElement(schema);
  if (element !== undefined && readFields(element) !== undefined) {
    // One server may be given without the list around it.
    const list = Array.isArray(value) ? value : isRecord(value) ? toList(value) : undefined;
    if (list !== undefined) {
      for (const [index, inner] of list.entries()) {
        if (inner !== undefined)
          flattenValues({ schema: element, value: inner, source, path: `${path}.${index}`, into });
      }
      return into;
    }
  }
  into.set(path, value);
  return into;
}

/** `{ 0: …, 1: … }` as flags give it, or one object. */
function toList(value: Record<string, unknown>): readonly unknown[] {
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d{1,3}$/.test(key))) return [value];
  const list: unknown[] = [];
  for (const key of keys) list[Number(key)] = value[key];
  return list;
}

function unknownKey(options: { name: string; path: string; known: readonly string[]; source: string }): ConfigError {
  const { name, path, known, source } = options;
  const nearest = findNearestName(name, known);
  const where = join(path, name);
  return new ConfigError({
    kind: 'unknown-key',
    path: where,
    reason: `There is no setting ${where}, which ${source} gives.`,
    hint:
      nearest === undefined
        ? `${path === '' ? 'The sections are' : `The settings of ${path} are`} ${known.join(', ')}.`
        : `Did you mean ${join(path, nearest)}?`,
  });
}

export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
