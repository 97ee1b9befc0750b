/** Reads a text symbol by symbol and knows after each which of its values just ended. */
export interface ValueAutomaton {
  /** The longest value, in symbols. */
  readonly longest: number;
  /** The class of a symbol; 0 for those that no value has. */
  readonly classOfAscii: Uint16Array;
  classOfOther(symbol: number): number;
  /** The next state, at `state * classes + class`. Public, since a call for each character would cost more than the look. */
  readonly table: Uint16Array | Int32Array;
  readonly classes: number;
  /** One for the ASCII symbols that begin no value. */
  readonly isPassed: Uint8Array;
  /** For each state how many symbols the longest value has that ends in it; 0 for none. */
  readonly lengths: Int32Array;
}

/** More first symbols than this are tried one after the other for longer than a step of the automaton takes. */
const MOST_FIRST = 24;

/**
 * A pattern for the first two symbols of the values, with which a text is passed over several times as quickly as symbol
 * by symbol; undefined where there are too many. What is in `between`, a class of characters, may stand after the first.
 */
export function createBeginning(values: readonly string[], between = ''): RegExp | undefined {
  const seconds = new Map<string, Set<string>>();
  for (const value of values) {
    const first = value[0];
    if (first === undefined || value.length < 2) return undefined;
    const known = seconds.get(first) ?? new Set();
    seconds.set(first, known.add(value[1] ?? ''));
  }
  if (seconds.size === 0 || seconds.size > MOST_FIRST) return undefined;
  const pairs = [...seconds].map(([first, set]) => `${escape(first)}(?=[${[...set].map(escape).join('')}${between}])`);
  return new RegExp(pairs.join('|'), 'g');
}

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

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

  // Half the size where it is enough: a large table is looked at all over.
  const table = most < 65_536 ? new Uint16Array(most * classes) : new Int32Array(most * classes);
  const edges: Edges = { first: new Int32Array(most), next: new Int32Array(most), symbol: new Int32Array(most) };
  const lengths = new Int32Array(most);
  let states = 1;
  let longest = 0;
  for (const value of values) {
    let state = 0;
    for (let at = 0; at < value.length; at += 1) {
      const symbol = classOf(value.charCodeAt(at));
      const place = state * classes + symbol;
      if (table[place] === 0) {
        edges.symbol[states] = symbol;
        edges.next[states] = edges.first[state] ?? 0;
        edges.first[state] = states;
        table[place] = states++;
      }
      state = table[place] ?? 0;
    }
    lengths[state] = value.length;
    longest = Math.max(longest, value.length);
  }
  completeTable({ table, edges, lengths, classes, states });
  const isPassed = Uint8Array.from({ length: 128 }, (_, symbol) => (table[classOf(symbol)] === 0 ? 1 : 0));
  return { longest, isPassed, classOfAscii, classOfOther, table, classes, lengths };
}

/** The children of each state, one after the other; 0 ends them, since nothing leads to the first state. */
interface Edges {
  readonly first: Int32Array;
  readonly next: Int32Array;
  /** Which symbol leads to a state. */
  readonly symbol: Int32Array;
}

interface Trie {
  table: Uint16Array | Int32Array;
  edges: Edges;
  lengths: Int32Array;
  classes: number;
  states: number;
}

/** Where a state has no next one, the longest ending of it that has one goes on; the nearest states first. */
function completeTable({ table, edges, lengths, classes, states }: Trie): void {
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
    table.copyWithin(state * classes, behind * classes, (behind + 1) * classes);
    for (let child = edges.first[state] ?? 0; child !== 0; child = edges.next[child] ?? 0) {
      const place = state * classes + (edges.symbol[child] ?? 0);
      fallback[child] = table[place] ?? 0;
      table[place] = child;
      queue[tail++] = child;
    }
  }
}
