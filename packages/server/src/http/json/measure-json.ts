import type { JsonLimits } from './json-limits.ts';

export interface JsonMeasure {
  /** What is beyond its limit. */
  excess?: keyof JsonLimits;
  /** Where the elements of the list named `listKey` begin and end, in pairs; absent where there is no such list. */
  elements?: Uint32Array<ArrayBuffer>;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const LEFT_BRACKET = 91;
const BACKSLASH = 92;
const RIGHT_BRACKET = 93;
const LEFT_BRACE = 123;
const RIGHT_BRACE = 125;

/**
 * Counts what JSON is made of, in one pass without recursion and without making anything. It does not say whether it is
 * JSON: that is found by who reads it, whole or element by element.
 */
export function measureJson(
  bytes: Uint8Array,
  { limits, listKey }: { limits: JsonLimits; listKey?: string | undefined },
): JsonMeasure {
  const key = listKey === undefined ? undefined : Buffer.from(JSON.stringify(listKey));
  let depth = 0;
  let containers = 0;
  let values = 0;
  let lastString = -1;
  let isKeyed = false;
  let isInList = false;
  let elements: number[] | undefined;
  let elementStart = 0;

  for (let position = 0; position < bytes.length; position += 1) {
    switch (bytes[position]) {
      case QUOTE: {
        const start = position;
        position += 1;
        for (; position < bytes.length && bytes[position] !== QUOTE; position += 1) {
          if (bytes[position] === BACKSLASH) position += 1;
        }
        if (depth === 1) lastString = start;
        break;
      }
      case COLON:
        if (depth === 1 && key !== undefined) isKeyed = startsWith(bytes, lastString, key);
        break;
      case COMMA:
        values += 1;
        if (depth === 1) isKeyed = false;
        if (depth === 2 && isInList) {
          elements?.push(elementStart, position);
          elementStart = position + 1;
          containers = 0;
          values = 0;
        }
        break;
      case LEFT_BRACKET:
      case LEFT_BRACE:
        if (depth === 1 && isKeyed && bytes[position] === LEFT_BRACKET) {
          isInList = true;
          // A key that comes twice means its last value.
          elements = [];
          elementStart = position + 1;
        }
        depth += 1;
        containers += 1;
        values += 1;
        break;
      case RIGHT_BRACKET:
      case RIGHT_BRACE:
        if (depth === 2 && isInList) {
          isInList = false;
          elements?.push(elementStart, position);
        }
        depth -= 1;
        break;
      default:
    }
    if (depth > limits.depth) return { excess: 'depth' };
    if (containers > limits.containers) return { excess: 'containers' };
    if (values > limits.values) return { excess: 'values' };
    if (elements !== undefined && elements.length > 2 * limits.elements) return { excess: 'elements' };
  }
  return elements === undefined ? {} : { elements: Uint32Array.from(elements) };
}

function startsWith(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  return start >= 0 && wanted.every((byte, index) => bytes[start + index] === byte);
}
