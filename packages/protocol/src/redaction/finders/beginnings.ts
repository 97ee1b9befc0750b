/** Knows which of many beginnings stand at a place of a text, whatever their case. A blank stands for any, and for a line break. */
export interface Beginnings {
  /** One for the two characters with which one begins, at `first * 128 + second`: most words are passed over by this look. */
  readonly mayBegin: Uint8Array;
  /** Which group of `groups` stands there, the longest; 0 for none. */
  find(text: string, at: number): number;
  /** For each group who begins like that or shorter, in the order they were given; the one at 0 is empty. */
  readonly groups: readonly (readonly number[])[];
}

/** How an owner may begin: with ASCII, and two characters at least. */
export interface BeginningList {
  readonly starts: readonly string[];
  /** It does not begin otherwise than written; this is looked at in the first two characters. */
  readonly isExact: boolean;
}

const BLANKS = ' \t\n\v\f\r';
const BLANK = 1;

/** A tree of characters, from the first on. */
export function createBeginnings(lists: readonly BeginningList[]): Beginnings {
  // Nothing beyond ASCII begins anything, but blanks are there too: all of it is taken for one.
  const classOfCode = new Uint8Array(128);
  for (const blank of BLANKS) classOfCode[blank.charCodeAt(0)] = BLANK;
  const mayBegin = new Uint8Array(128 * 128);
  let classes = BLANK + 1;
  let most = 1;
  for (const { start, isExact } of lists.flatMap((list) => list.starts.map((start) => ({ ...list, start })))) {
    most += start.length;
    for (const character of start) {
      const codes = casesOf(character.charCodeAt(0));
      if (classOfCode[codes[0] ?? 0] === 0) {
        for (const code of codes) classOfCode[code] = classes;
        classes += 1;
      }
    }
    const [firsts, seconds] = [start.charCodeAt(0), start.charCodeAt(1)].map((code) =>
      isExact ? [code] : casesOf(code),
    );
    for (const first of firsts ?? []) for (const second of seconds ?? []) mayBegin[first * 128 + second] = 1;
  }

  let table = new Uint16Array(most * classes);
  const ownersOf: number[][] = [[]];
  for (const [owner, { starts }] of lists.entries()) {
    for (const start of starts) {
      let node = 0;
      for (const character of start) {
        const place = node * classes + (classOfCode[character.charCodeAt(0)] ?? 0);
        if (table[place] === 0) table[place] = ownersOf.push([]) - 1;
        node = table[place] ?? 0;
      }
      ownersOf[node]?.push(owner);
    }
  }
  table = table.slice(0, ownersOf.length * classes);
  const { groups, groupOf } = joinOwners(ownersOf, table, classes);
  return {
    mayBegin,
    groups,
    find(text, from) {
      let [group, node] = [0, 0];
      for (let at = from; ; at += 1) {
        const code = text.charCodeAt(at);
        if (Number.isNaN(code)) return group;
        const symbol = code < 128 ? (classOfCode[code] ?? 0) : BLANK;
        node = symbol === 0 ? 0 : (table[node * classes + symbol] ?? 0);
        if (node === 0) return group;
        group = groupOf[node] ?? group;
      }
    },
  };
}

/** A longer beginning has the owners of the shorter ones it holds. Nodes come after those that lead to them. */
function joinOwners(
  ownersOf: readonly (readonly number[])[],
  table: Uint16Array,
  classes: number,
): { groups: number[][]; groupOf: Uint16Array } {
  const groups: number[][] = [[]];
  const groupOf = new Uint16Array(ownersOf.length);
  for (let node = 0; node < ownersOf.length; node += 1) {
    const owners = ownersOf[node] ?? [];
    const before = groups[groupOf[node] ?? 0] ?? [];
    if (owners.length > 0) {
      groupOf[node] = groups.push([...new Set([...before, ...owners])].toSorted((left, right) => left - right)) - 1;
    }
    for (let symbol = 1; symbol < classes; symbol += 1) {
      const next = table[node * classes + symbol] ?? 0;
      if (next !== 0) groupOf[next] = groupOf[node] ?? 0;
    }
  }
  return { groups, groupOf };
}

const casesOf = (code: number): number[] => {
  const character = String.fromCharCode(code);
  return [character.toLowerCase().charCodeAt(0), character.toUpperCase().charCodeAt(0)];
};
