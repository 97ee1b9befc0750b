import type { z } from 'zod';
import { readElement, readShape } from './schema-shape.ts';

const YES = new Set(['true', 'yes', 'on', '1']);
const NO = new Set(['false', 'no', 'off', '0']);
const NOTHING = new Set(['none', 'null', '']);

/**
 * What a text from the command line or a variable means for a field. A text that does not fit stays a text: the schema then
 * refuses it and names it.
 */
export function parseTextValue(schema: z.ZodType, text: string): unknown {
  const { type, isNullable, isOptional } = readShape(schema);
  const word = text.trim().toLowerCase();
  if ((isNullable || isOptional) && type !== 'string' && NOTHING.has(word)) return isNullable ? null : undefined;
  if (isNullable && NOTHING.has(word) && word !== '') return null;
  if (type === 'number' || type === 'int') return word !== '' && Number.isFinite(Number(word)) ? Number(word) : text;
  if (type === 'boolean') return YES.has(word) ? true : NO.has(word) ? false : text;
  if (type === 'array') return parseList(schema, text);
  if (type === 'object' || type === 'record' || type === 'union' || type === 'unknown' || type === 'any') {
    return parseJson(text);
  }
  return text;
}

function parseList(schema: z.ZodType, text: string): unknown {
  if (text.trimStart().startsWith('[')) return parseJson(text);
  const element = readElement(schema);
  const parts = text.split(',').map((part) => part.trim());
  return element === undefined ? parts : parts.map((part) => parseTextValue(element, part));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain words are allowed where anything is.
    return text;
  }
}
