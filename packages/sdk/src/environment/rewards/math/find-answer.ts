import { findBoxed } from './find-boxed.ts';

/** A reply may be long; its answer is at its end, and what searches it must take linear time. */
const MAX_CHARACTERS = 50_000;

interface Found {
  readonly start: number;
  readonly end: number;
  readonly latex: string;
}

const MATH =
  /\$\$(?<a>[^$]+)\$\$|(?<![\\\d])\$(?<b>(?:\\\$|[^$\n])+?)(?<!\\)\$|\\\[(?<c>[\s\S]+?)\\\]|\\\((?<d>[^\n]+?)\\\)/g;
const FINAL_ANSWER = /final answer[^\n]{0,100}?\sis:?/gi;
const ANSWER_COLON = /answer:/gi;
const ANSWER = /answer/gi;
/** How far from its announcement an answer may stand. */
const REACH = 50;
const JOINED = /^\s*(?:,?\s*(?:and|or)|,)\s*$/;
const NUMBER =
  /(?<=^|[\s=])(?:\*\*)?[$€£¥₹]?(?<number>-?(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)(?:\s*\/\s*-?\d+)?)(?<percent>\s*(?:%|[Pp]ercent|[Pp]ct))?(?![\d])/g;
/** Sums such as `2*(3+4)` written without dollar signs. */
const PLAIN = /(?<=^|[\s=])(?:\*\*)?(?<expression>-?\(?-?\d[\d.\s+\-*/^()×÷]*[\d)])(?=\*\*|[.,:\s$)]|$)/g;

/** The part of a reply that is its answer, as LaTeX; undefined when there is nothing that could be one. */
export function findAnswer(reply: string): string | undefined {
  const text = reply.length > MAX_CHARACTERS ? reply.slice(-MAX_CHARACTERS) : reply;
  const found = [...findMath(text), ...findPlain(text)];
  const announced = findAnnounced(text, found, FINAL_ANSWER);
  const boxed = findBoxed(text);
  // What is announced as final and what is boxed weigh the same: the later one counts.
  if (boxed !== undefined && (announced === undefined || boxed.end >= announced.end)) return boxed.latex;
  const best =
    announced ??
    findAnnounced(text, found, ANSWER_COLON) ??
    findAnnounced(text, found, ANSWER) ??
    found.reduce<Found | undefined>(pickLater, undefined);
  return best === undefined ? undefined : (findBoxed(best.latex)?.latex ?? best.latex);
}

/** The one that ends last; of two that end together, the one that began first holds more. */
const pickLater = (best: Found | undefined, next: Found): Found =>
  best === undefined || next.end > best.end || (next.end === best.end && next.start < best.start) ? next : best;

/** Formulas, those that `and` joins as one. */
function findMath(text: string): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(MATH)) {
    const latex = Object.values(match.groups ?? {}).find((group) => group !== undefined) ?? '';
    const end = match.index + match[0].length;
    const isPercent = /^\s*(?:\\?%|[Pp]ercent|[Pp]ct)/.test(text.slice(end, end + 12));
    const here: Found = { start: match.index, end, latex: isPercent ? `${latex}\\%` : latex };
    const before = found.at(-1);
    if (before !== undefined && JOINED.test(text.slice(before.end, here.start)))
      found.splice(-1, 1, { start: before.start, end, latex: `${before.latex},${here.latex}` });
    else found.push(here);
  }
  return found;
}

function findPlain(text: string): Found[] {
  const numbers = [...text.matchAll(NUMBER)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    latex: `${readDecimalComma(match.groups?.['number'] ?? '')}${match.groups?.['percent'] === undefined ? '' : '\\%'}`,
  }));
  const expressions = [...text.matchAll(PLAIN)]
    .filter(({ groups }) => /[+\-*/^×÷]/.test(groups?.['expression']?.slice(1) ?? ''))
    .map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      latex: match.groups?.['expression'] ?? '',
    }));
  return [...numbers, ...expressions];
}

/** 1,5 is one and a half where it stands without dollar signs; 1,500 is not. */
const readDecimalComma = (number: string): string =>
  /^-?(?:\d+,\d{1,2}|\d+,\d{4,})$/.test(number) ? number.replace(',', '.') : number;

/** What comes right after the last place where an answer is announced. */
function findAnnounced(text: string, found: readonly Found[], announcement: RegExp): Found | undefined {
  const places = [...text.matchAll(announcement)].map((match) => match.index + match[0].length);
  for (const place of places.toReversed()) {
    const isFinal = announcement === FINAL_ANSWER;
    const near = found.filter(({ start }) => start >= place && start <= place + (isFinal ? 3 : REACH));
    const inLine = near.filter(({ start }) => isFinal || !text.slice(place, start).includes('\n'));
    const first = inLine.toSorted((a, b) => a.start - b.start)[0];
    // Of a number and a formula that begin together the formula holds more.
    const same = inLine.filter((item) => first !== undefined && item.start <= first.start + 1);
    const best = same.reduce<Found | undefined>(pickLater, undefined);
    if (best !== undefined) return best;
  }
  return undefined;
}
