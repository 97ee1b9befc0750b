/** What stands in the last box of a reply, and where the box ends. */
export interface Boxed {
  readonly latex: string;
  readonly end: number;
}

/** Boxes this close belong together, whatever is between them. */
const NEAR = 10;
/** Boxes with `and`, `or` or a comma between them belong together up to here. */
const JOINED = 70;

/** Each is read to its end, so many in a reply would take quadratic time. */
const MAX_BOXES = 30;

interface Box {
  readonly start: number;
  readonly end: number;
  readonly latex: string;
  readonly isClosed: boolean;
}

/** The last box, with those right before it that belong to it, as in `\boxed{1} and \boxed{2}`. */
export function findBoxed(text: string): Boxed | undefined {
  const boxes = [...text.matchAll(/\\(?:boxed|fbox)\s*\{/g)]
    .slice(-MAX_BOXES)
    .map((match) => readBox(text, match.index, match.index + match[0].length))
    // A box in a box is read with the outer one; what was never closed holds nothing.
    .filter((box, index, all) => !all.slice(0, index).some(({ end, isClosed }) => isClosed && box.start < end))
    .filter(({ isClosed }, index, all) => isClosed || index === all.length - 1);
  const last = boxes.at(-1);
  if (last === undefined) return undefined;
  const taken = [last];
  for (const box of boxes.slice(0, -1).toReversed()) {
    const next = taken[0] ?? last;
    const between = text.slice(box.end, next.start);
    const isJoined = between.length < JOINED && box.latex !== next.latex && /\b(?:and|or)\b|,|;/.test(between);
    if (between.length >= NEAR && !isJoined) break;
    taken.unshift(box);
  }
  const contents = taken.map(({ latex }) => latex);
  return { latex: contents.filter((latex, index) => latex !== contents[index - 1]).join(','), end: last.end };
}

function readBox(text: string, start: number, open: number): Box {
  let depth = 1;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return { start, end: at + 1, latex: unbox(text.slice(open, at)), isClosed: true };
  }
  // Cut off by the limit of tokens: what is there is the answer.
  return { start, end: text.length, latex: text.slice(open), isClosed: false };
}

const unbox = (latex: string): string =>
  /^\s*\\(?:boxed|fbox)\s*\{(?<inside>[\s\S]*)\}\s*$/.exec(latex)?.groups?.['inside'] ?? latex.trim();
