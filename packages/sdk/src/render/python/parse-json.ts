import { PythonFloat } from './python-float.ts';

/**
 * What `parseJson` makes: JSON with the floats and the order of keys that Python keeps. Objects are plain objects, or
 * Maps where a plain object would not keep the order of its keys.
 */
export type PythonJsonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | PythonFloat
  | readonly PythonJsonValue[]
  | { readonly [key: string]: PythonJsonValue }
  | ReadonlyMap<string, PythonJsonValue>;

/** Deeper nesting would end the stack, and no tool schema or call comes near. */
const DEPTH_LIMIT = 500;

const STRING = /"(?:[^"\\]|\\.)*"/sy;
const NUMBER = /-?\d+(?<fraction>\.\d+)?(?<exponent>[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

/**
 * Reads JSON as Python does: `1.0` and `1e5` stay floats, integers keep all their digits, and keys keep their order, also
 * those that look like integers. Throws a SyntaxError on anything that is not JSON.
 */
export function parseJson(text: string): PythonJsonValue {
  // The native parser decides what JSON is, so the walk below need not check.
  JSON.parse(text);
  return new Walk(text).readAll();
}

class Walk {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): PythonJsonValue {
    this.#take(SPACE);
    return this.#readValue();
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw new SyntaxError(`unexpected text at ${this.#at}`);
    this.#at += match[0].length;
    return match;
  }

  #readValue(): PythonJsonValue {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#readObject();
      case '[':
        return this.#readArray();
      case '"':
        return JSON.parse(this.#take(STRING)[0]) as string;
      case 't':
        this.#at += 4;
        return true;
      case 'f':
        this.#at += 5;
        return false;
      case 'n':
        this.#at += 4;
        return null;
      default:
        return this.#readNumber();
    }
  }

  #readNumber(): PythonJsonValue {
    const { 0: source, groups } = this.#take(NUMBER);
    const value = Number(source);
    if (groups?.['fraction'] !== undefined || groups?.['exponent'] !== undefined) {
      return Number.isInteger(value) || !Number.isFinite(value) ? new PythonFloat(value) : value;
    }
    // `-0` is an integer for Python, which has no negative zero among those.
    return Number.isSafeInteger(value) ? value + 0 : BigInt(source);
  }

  #readArray(): PythonJsonValue {
    const items: PythonJsonValue[] = [];
    this.#readMembers(']', () => void items.push(this.#readValue()));
    return items;
  }

  #readObject(): PythonJsonValue {
    const entries = new Map<string, PythonJsonValue>();
    let isOrderKept = true;
    this.#readMembers('}', () => {
      const key = JSON.parse(this.#take(STRING)[0]) as string;
      this.#take(SPACE);
      this.#at += 1;
      this.#take(SPACE);
      isOrderKept &&= !/^(?:0|[1-9]\d{0,9})$/.test(key);
      entries.set(key, this.#readValue());
    });
    // defineProperty semantics: a key named __proto__ is a key like any other.
    return isOrderKept ? Object.fromEntries(entries) : entries;
  }

  #readMembers(end: string, readMember: () => void): void {
    this.#depth += 1;
    if (this.#depth > DEPTH_LIMIT) throw new SyntaxError(`nested deeper than ${DEPTH_LIMIT}`);
    this.#at += 1;
    this.#take(SPACE);
    while (this.#text[this.#at] !== end) {
      if (this.#text[this.#at] === ',') {
        this.#at += 1;
        this.#take(SPACE);
      }
      readMember();
      this.#take(SPACE);
    }
    this.#at += 1;
    this.#depth -= 1;
  }
}
