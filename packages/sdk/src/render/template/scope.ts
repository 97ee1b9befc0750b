import { Undefined, type Value } from './values.ts';

/** Names and what they stand for; a loop, a macro and a block each have their own, and look into the one around them. */
export class Scope {
  readonly #variables = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  read(name: string): Value {
    const value = this.#variables.get(name);
    if (value !== undefined) return value;
    return this.#outer === undefined ? new Undefined(name) : this.#outer.read(name);
  }

  write(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
