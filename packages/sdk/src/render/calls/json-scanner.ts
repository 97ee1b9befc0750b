export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember extends JsonSpan {
  /** Undefined for the elements of a list. */
  readonly key: string | undefined;
}

type Expect = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Deeper nesting than any tool takes, and than what renders a call again can follow. */
const DEPTH_LIMIT = 500;
const LITERALS = ['true', 'false', 'null'];

/**
 * Reads one JSON object or list that arrives in pieces, and knows at the first wrong character that it is none. Positions are
 * those of the buffer, which may grow at its end between two calls of `scan` and in no other way.
 */
export class JsonScanner {
  status: 'more' | 'done' | 'invalid' = 'more';
  /** Behind the value when done; the wrong character when invalid. */
  at: number;
  /** The members of the outermost object or list. */
  readonly members: JsonMember[] = [];
  readonly #containers: ('{' | '[')[] = [];
  #expect: Expect = 'value';
  /** Where the string, number or literal that is being read began. */
  #tokenAt: number | undefined;
  #isEscaped = false;
  #memberKey: string | undefined;
  #memberAt = 0;

  constructor(start: number) {
    this.at = start;
  }

  scan(buffer: string): 'more' | 'done' | 'invalid' {
    while (this.status === 'more' && this.at < buffer.length) this.#step(buffer);
    return this.status;
  }

  #step(buffer: string): void {
    const character = buffer[this.at] ?? '';
    if (this.#tokenAt !== undefined) {
      if (buffer[this.#tokenAt] === '"') this.#stepString(buffer, character);
      else this.#stepWord(buffer, character);
      return;
    }
    if (character === ' ' || character === '\n' || character === '\t' || character === '\r') {
      this.at += 1;
      return;
    }
    switch (this.#expect) {
      case 'value-or-end':
      case 'value':
        if (character === ']' && this.#expect === 'value-or-end') this.#close();
        else this.#startValue(character);
        return;
      case 'key-or-end':
      case 'key':
        if (character === '}' && this.#expect === 'key-or-end') this.#close();
        else if (character === '"') this.#tokenAt = this.at++;
        else this.status = 'invalid';
        return;
      case 'colon':
        this.#expect = 'value';
        if (character === ':') this.at += 1;
        else this.status = 'invalid';
        return;
      case 'comma-or-end':
        if (character === ',') {
          this.#expect = this.#containers.at(-1) === '{' ? 'key' : 'value';
          this.at += 1;
        } else if (character === (this.#containers.at(-1) === '{' ? '}' : ']')) this.#close();
        else this.status = 'invalid';
    }
  }

  #startValue(character: string): void {
    if (this.#containers.length === 1) this.#memberAt = this.at;
    if ((character === '{' || character === '[') && this.#containers.length < DEPTH_LIMIT) {
      this.#containers.push(character);
      this.#expect = character === '{' ? 'key-or-end' : 'value-or-end';
      this.at += 1;
    } else if (this.#containers.length > 0 && /["\-\dtfn]/.test(character)) {
      this.#tokenAt = this.at++;
    } else {
      this.status = 'invalid';
    }
  }

  #stepString(buffer: string, character: string): void {
    if (character < ' ') {
      this.status = 'invalid';
      return;
    }
    this.at += 1;
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (character === '\\') {
      this.#isEscaped = true;
    } else if (character === '"') {
      const text = buffer.slice(this.#tokenAt, this.at);
      // Only escapes can still be wrong.
      const value = text.includes('\\') ? readString(text) : text.slice(1, -1);
      if (value === undefined) this.status = 'invalid';
      else if (this.#expect === 'key' || this.#expect === 'key-or-end') this.#endKey(value);
      else this.#endValue();
    }
  }

  #stepWord(buffer: string, character: string): void {
    if (/[\w+\-.]/.test(character)) {
      this.at += 1;
      return;
    }
    const word = buffer.slice(this.#tokenAt, this.at);
    if (NUMBER.test(word) || LITERALS.includes(word)) this.#endValue();
    else this.status = 'invalid';
  }

  #endKey(key: string): void {
    if (this.#containers.length === 1) this.#memberKey = key;
    this.#tokenAt = undefined;
    this.#expect = 'colon';
  }

  #endValue(): void {
    this.#tokenAt = undefined;
    this.#expect = 'comma-or-end';
    if (this.#containers.length === 1) {
      this.members.push({ key: this.#memberKey, start: this.#memberAt, end: this.at });
      this.#memberKey = undefined;
    }
  }

  #close(): void {
    this.#containers.pop();
    this.at += 1;
    if (this.#containers.length === 0) this.status = 'done';
    else this.#endValue();
  }
}

function readString(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
