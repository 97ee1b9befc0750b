/** One piece of LaTeX. */
export interface Token {
  readonly kind: 'number' | 'letter' | 'command' | 'mark' | 'text' | 'environment';
  /** The number without separators, the letter, the name of the command, the mark, the words, or the name of the environment. */
  readonly value: string;
  /** White space stood before it. */
  readonly isApart: boolean;
}

/** Longer than any answer; a reply that boxes its whole reasoning is not parsed. */
const MAX_CHARACTERS = 4000;

const PIECE = new RegExp(
  [
    // 1,234,567.8 and 1 234: groups of exactly three after one to three digits.
    String.raw`(?<grouped>(?<![\d.,])[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+)(?:\.\d+)?(?![\d]))`,
    String.raw`(?<plain>\d+(?:\.\d+)?|\.\d+)`,
    String.raw`\\(?:text|mbox|operatorname\*?)\s*\{(?<words>[^{}]*)\}`,
    String.raw`\\begin\s*\{(?<begin>[a-zA-Z]+)\*?\}`,
    String.raw`\\end\s*\{(?<end>[a-zA-Z]+)\*?\}`,
    String.raw`\\mathbb\s*\{?(?<field>[A-Z])\}?`,
    String.raw`\\(?<command>[a-zA-Z]+)`,
    String.raw`\\(?<escaped>[{}%|\\])`,
    String.raw`(?<letter>\p{L})`,
    String.raw`(?<mark><=|>=|!=|[^\s])`,
  ].join('|'),
  'gu',
);

/** Undefined when it is too long to be an answer. */
export function readTokens(latex: string): Token[] | undefined {
  if (latex.length > MAX_CHARACTERS) return undefined;
  const tokens: Token[] = [];
  let end = 0;
  for (const match of latex.matchAll(PIECE)) {
    const isApart = match.index > end;
    end = match.index + match[0].length;
    tokens.push({ ...readPiece(match.groups ?? {}), isApart });
  }
  return tokens;
}

function readPiece(groups: Readonly<Record<string, string | undefined>>): Omit<Token, 'isApart'> {
  const { grouped, plain, words, begin, end, field, command, escaped, letter, mark } = groups;
  if (grouped !== undefined) return { kind: 'number', value: grouped.replaceAll(/[ ,]/g, '') };
  if (plain !== undefined) return { kind: 'number', value: plain };
  if (words !== undefined) return { kind: 'text', value: words.trim() };
  if (begin !== undefined) return { kind: 'environment', value: begin };
  if (end !== undefined) return { kind: 'mark', value: 'end' };
  if (field !== undefined) return { kind: 'text', value: `mathbb ${field}` };
  if (command !== undefined) return { kind: 'command', value: command };
  // `\{` is a bracket of a set where `{` only groups; `\\` ends a row.
  if (escaped !== undefined)
    return { kind: 'mark', value: escaped === '%' || escaped === '|' ? escaped : `\\${escaped}` };
  if (letter !== undefined) return { kind: 'letter', value: letter };
  return { kind: 'mark', value: mark ?? '' };
}
