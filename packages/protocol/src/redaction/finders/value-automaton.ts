/** Reads a text symbol by symbol and knows after each which of its values just ended. */
export interface ValueAutomaton {
  /** The longest value, in symbols. */
  readonly longest: number;
  /** The class of a symbol; 0 for those that no value has. */
  readonly classOfAscii: Uint16Array;
  classOfOther(symbol: number): number;
  /** The next state, at `state * classes + class`. Public, since a call for each character would cost more than the look. */
  readonly table: Int32Array;
  readonly classes: number;
  /** One for the ASCII symbols that begin no value. */
  readonly isPassed: Uint8Array;
  /** For each state how many symbols the longest value has that ends in it; 0 for none. */
  readonly lengths: Int32Array;
}

/**
 * All values at once, after Aho and Corasick: one step a symbol, however many values there are and however alike they
 * and the text. The table is dense, so that a step is one look.
 */
export function createValueAutomaton(values: readonly string[]): ValueAutomaton {
  const classOfAscii = new Uint16Array(128);
  const others = new Map<number, number>();
  let classes = 1;
  let most = 1;
  for (const value of values) {
    most += value.length;
    for (let at = 0; at < value.length; at += 1) {
      const code = value.charCodeAt(at);
      if (code < 128) {
        if (classOfAscii[code] === 0) classOfAscii[code] = classes++;
      } else if (!others.has(code)) others.set(code, classes++);
    }
  }
  const classOfOther = (symbol: number): number => others.get(symbol) ?? 0;
  const classOf = (symbol: number): number => (symbol < 128 ? (classOfAscii[symbol] ?? 0) : classOfOther(symbol));

  const table = new Int32Array(most * classes);
  const lengths = new Int32Array(most);
  let states = 1;
  let longest = 0;
  for (const value of values) {
    let state = 0;
    for (let at = 0; at < value.length; at += 1) {
      const place = state * classes + classOf(value.charCodeAt(at));
      if (table[place] === 0) table[place] = states++;
      state = table[place] ?? 0;
    }
    lengths[state] = value.length;
    longest = Math.max(longest, value.length);
  }
  completeTable({ table, lengths, classes, states });
  const isPassed = Uint8Array.from({ length: 128 }, (_, symbol) => (table[classOf(symbol)] === 0 ? 1 : 0));
  return { longest, isPassed, classOfAscii, classOfOther, table, classes, lengths };
}

interface Trie {
  table: Int32Array;
  lengths: Int32Array;
  classes: number;
  states: number;
}

/** Where a state has no next one, the longest ending of it that has one goes on; the nearest states first. */
function completeTable({ table, lengths, classes, states }: Trie): void {
  const fallback = new Int32Array(states);
  const queue = new Int32Array(states);
  let [head, tail] = [0, 0];
  for (let symbol = 1; symbol < classes; symbol += 1) {
    const child = table[symbol] ?? 0;
    if (child !== 0) queue[tail++] = child;
  }
  while (head < tail) {
    const state = queue[head++] ?? 0;
    const behind = fallback[state] ?? 0;
    if (lengths[state] === 0) lengths[state] = lengths[behind] ?? 0;
    for (let symbol = 1; symbol < classes; symbol += 1) {
      const place = state * classes + symbol;
      const child = table[place] ?? 0;
      const other = table[behind * classes + symbol] ?? 0;
      if (child === 0) table[place] = other;
      else {
        fallback[child] = other;
        queue[tail++] = child;
      }
    }
  }
}
