import type { PythonJsonValue } from '@lachesis/sdk/render';
import { parsePythonJson } from '../records/python/parse-python-json.ts';

/** Those an object of ours would not keep in their order. */
const IS_INDEX = /^\d+$/;

/**
 * What `parsePythonJson` gives, by the native parser, which hands out the text of each number: of the hundred thousand
 * characters of a row a few are numbers, and the careful parser walks over all.
 */
export function parseRow(text: string): PythonJsonValue {
  let isOrderKept = true;
  const read = function (this: unknown, key: string, value: unknown, { source }: { source?: string } = {}): unknown {
    if (IS_INDEX.test(key) && !Array.isArray(this)) isOrderKept = false;
    return typeof value === 'number' && source !== undefined ? parsePythonJson(source) : value;
  };
  try {
    const row = JSON.parse(text, read) as PythonJsonValue;
    if (isOrderKept) return row;
  } catch {
    // NaN and Infinity are for the careful parser, and so is the sentence about what is no JSON at all.
  }
  return parsePythonJson(text);
}
