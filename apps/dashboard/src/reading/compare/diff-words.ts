export interface WordPart {
  readonly kind: 'same' | 'left' | 'right';
  readonly text: string;
}

export interface WordDiff {
  readonly parts: readonly WordPart[];
  /** They differ in more places than is looked for: what lies between the shared ends is told as a whole. */
  readonly isCutShort: boolean;
}

/** Steps of the search. Two texts that have little in common would take minutes, and nobody could read the result. */
const MOST_WORK = 2_000_000;
const MOST_CHANGES = 1_200;

/** What two texts have in common, word by word, within a bound of work. */
export function diffWords(left: string, right: string): WordDiff {
  const [ofLeft, ofRight] = [splitWords(left), splitWords(right)];
  let start = 0;
  while (start < ofLeft.length && start < ofRight.length && ofLeft[start] === ofRight[start]) start += 1;
  let end = 0;
  const shorter = Math.min(ofLeft.length, ofRight.length) - start;
  while (end < shorter && ofLeft[ofLeft.length - 1 - end] === ofRight[ofRight.length - 1 - end]) end += 1;
  const middleLeft = ofLeft.slice(start, ofLeft.length - end);
  const middleRight = ofRight.slice(start, ofRight.length - end);
  const middle = searchMiddle(middleLeft, middleRight);
  const whole: WordPart[] = [
    { kind: 'left', text: middleLeft.join('') },
    { kind: 'right', text: middleRight.join('') },
  ];
  const parts = joinParts([
    { kind: 'same', text: ofLeft.slice(0, start).join('') },
    ...(middle ?? whole),
    { kind: 'same', text: ofLeft.slice(ofLeft.length - end).join('') },
  ]);
  return { parts, isCutShort: middle === undefined };
}

/** Words, spaces and single signs, which put together are the text again. */
function splitWords(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The shortest way from one to the other (Myers); undefined beyond the bound. */
function searchMiddle(left: readonly string[], right: readonly string[]): WordPart[] | undefined {
  const most = Math.min(left.length + right.length, MOST_CHANGES);
  const trail: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  let work = 0;
  for (let changes = 0; changes <= most; changes += 1) {
    trail.push(reach.slice(middle - changes - 1, middle + changes + 2));
    for (let line = -changes; line <= changes; line += 2) {
      const isDown =
        line === -changes || (line !== changes && at(reach, middle + line - 1) < at(reach, middle + line + 1));
      let x = isDown ? at(reach, middle + line + 1) : at(reach, middle + line - 1) + 1;
      let y = x - line;
      while (x < left.length && y < right.length && left[x] === right[y]) {
        x += 1;
        y += 1;
        work += 1;
      }
      work += 1;
      reach[middle + line] = x;
      if (x >= left.length && y >= right.length) return walkBack(trail, left, right);
    }
    if (work > MOST_WORK) return undefined;
  }
  return undefined;
}

function walkBack(trail: readonly Int32Array[], left: readonly string[], right: readonly string[]): WordPart[] {
  const parts: WordPart[] = [];
  let [x, y] = [left.length, right.length];
  for (let changes = trail.length - 1; changes >= 0; changes -= 1) {
    const reach = trail[changes] ?? new Int32Array(0);
    const of = (line: number): number => at(reach, line + changes + 1);
    const line = x - y;
    const isDown = line === -changes || (line !== changes && of(line - 1) < of(line + 1));
    const before = isDown ? line + 1 : line - 1;
    const [fromX, fromY] = changes === 0 ? [0, 0] : [of(before), of(before) - before];
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      parts.push({ kind: 'same', text: left[x] ?? '' });
    }
    if (changes === 0) break;
    if (isDown) parts.push({ kind: 'right', text: right[--y] ?? '' });
    else parts.push({ kind: 'left', text: left[--x] ?? '' });
  }
  return parts.reverse();
}

const at = (values: Int32Array, place: number): number => values[place] ?? 0;

/** Neighbours of a kind are one; of a change what went comes before what came. */
function joinParts(parts: readonly WordPart[]): WordPart[] {
  const joined: WordPart[] = [];
  let gone = '';
  let come = '';
  const flush = (): void => {
    if (gone !== '') joined.push({ kind: 'left', text: gone });
    if (come !== '') joined.push({ kind: 'right', text: come });
    gone = '';
    come = '';
  };
  for (const { kind, text } of parts) {
    if (text === '') continue;
    if (kind === 'left') gone += text;
    else if (kind === 'right') come += text;
    else {
      flush();
      const last = joined.at(-1);
      if (last?.kind === 'same') joined[joined.length - 1] = { kind, text: last.text + text };
      else joined.push({ kind, text });
    }
  }
  flush();
  return joined;
}
