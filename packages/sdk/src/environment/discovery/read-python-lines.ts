/** A piece of Python: a name, a text with its quotes taken off, a number, or one mark. */
export interface PythonToken {
  readonly kind: 'name' | 'text' | 'number' | 'mark';
  readonly value: string;
}

/** A statement as Python sees it: brackets and backslashes join lines. */
export interface PythonLine {
  /** Columns before its first token. */
  readonly indent: number;
  readonly tokens: readonly PythonToken[];
}

const PIECE = new RegExp(
  [
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<join>\\\r?\n)`,
    String.raw`(?<end>\r?\n)`,
    String.raw`(?<space>[ \t\f]+)`,
    String.raw`(?<prefix>[rbufRBUF]{0,2})(?:"""(?<long>(?:\\[\s\S]|(?!""")[^\\])*)"""|'''(?<long2>(?:\\[\s\S]|(?!''')[^\\])*)'''|"(?<short>(?:\\[\s\S]|[^"\\\n])*)"|'(?<short2>(?:\\[\s\S]|[^'\\\n])*)')`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<number>\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)`,
    String.raw`(?<mark>[\s\S])`,
  ].join('|'),
  'gu',
);

/** Cuts Python into statements, no further: enough to see classes, what they extend, and what they assign. */
export function readPythonLines(source: string): PythonLine[] {
  const lines: PythonLine[] = [];
  let tokens: PythonToken[] = [];
  let indent = 0;
  let column = 0;
  let depth = 0;
  const push = (token: PythonToken): void => {
    if (tokens.length === 0) indent = column;
    tokens.push(token);
  };
  const endLine = (): void => {
    if (tokens.length > 0) lines.push({ indent, tokens });
    tokens = [];
  };
  for (const { 0: whole, groups = {} } of source.matchAll(PIECE)) {
    const text = groups['long'] ?? groups['long2'] ?? groups['short'] ?? groups['short2'];
    if (text !== undefined) push({ kind: 'text', value: unescape(text, groups['prefix'] ?? '') });
    else if (groups['name'] !== undefined) push({ kind: 'name', value: whole });
    else if (groups['number'] !== undefined) push({ kind: 'number', value: whole });
    else if (groups['mark'] !== undefined) {
      push({ kind: 'mark', value: whole });
      if ('([{'.includes(whole)) depth += 1;
      if (')]}'.includes(whole)) depth = Math.max(0, depth - 1);
    } else if (groups['end'] !== undefined && depth === 0) endLine();
    column = groups['end'] !== undefined ? 0 : column + whole.length;
  }
  endLine();
  return lines;
}

function unescape(text: string, prefix: string): string {
  if (/r/i.test(prefix)) return text;
  return text.replaceAll(/\\(\r?\n|.)/g, (_whole, character: string) => {
    if (character === 'n') return '\n';
    if (character === 't') return '\t';
    return character.endsWith('\n') ? '' : character;
  });
}
