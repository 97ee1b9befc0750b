/** Characters after which a slash begins a regular expression and not a division. */
const beforeRegularExpression =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|void|delete|throw|do|else))\s*$/;

export interface BlankOptions {
  /** Also blank what stands between quotes, so that only code is left. */
  strings?: boolean;
}

/**
 * Returns TypeScript source with comments (and, when asked, strings) replaced by spaces. Offsets and line numbers stay
 * the same. It reads just enough of the language for the checks of this folder; it is not a parser.
 */
export function blankSource(source: string, { strings = false }: BlankOptions = {}): string {
  const out: string[] = [];
  // One entry per template literal that is open around us, with the depth of braces inside its `${…}`.
  const templates: number[] = [];
  let index = 0;

  const copy = (end: number) => {
    out.push(source.slice(index, end));
    index = end;
  };
  const blank = (end: number) => {
    out.push(source.slice(index, end).replaceAll(/[^\n]/g, ' '));
    index = end;
  };
  const skipTemplateText = () => {
    let end = index;
    while (end < source.length && source[end] !== '`' && !source.startsWith('${', end))
      end += source[end] === '\\' ? 2 : 1;
    (strings ? blank : copy)(Math.min(end, source.length));
    if (source[index] === '`') copy(index + 1);
    else if (index < source.length) {
      copy(index + 2);
      templates.push(0);
    }
  };

  while (index < source.length) {
    const char = source[index];
    if (source.startsWith('//', index)) {
      const end = source.indexOf('\n', index);
      blank(end < 0 ? source.length : end);
    } else if (source.startsWith('/*', index)) {
      const end = source.indexOf('*/', index + 2);
      blank(end < 0 ? source.length : end + 2);
    } else if (char === "'" || char === '"') {
      const end = endOfDelimited(source, index, char);
      copy(index + 1);
      (strings ? blank : copy)(Math.max(index, end - 1));
      copy(end);
    } else if (char === '`') {
      copy(index + 1);
      skipTemplateText();
    } else if (char === '{' && templates.length > 0) {
      templates.push((templates.pop() ?? 0) + 1);
      copy(index + 1);
    } else if (char === '}' && templates.length > 0) {
      const depth = templates.pop() ?? 0;
      copy(index + 1);
      if (depth === 0) skipTemplateText();
      else templates.push(depth - 1);
    } else if (char === '/' && beforeRegularExpression.test(source.slice(Math.max(0, index - 40), index))) {
      copy(endOfDelimited(source, index, '/'));
    } else {
      copy(index + 1);
    }
  }
  return out.join('');
}

/** The offset after the closing delimiter, or the end of the line when there is none. */
function endOfDelimited(source: string, start: number, delimiter: string): number {
  let inClass = false;
  for (let end = start + 1; end < source.length; end += 1) {
    const char = source[end];
    if (char === '\\') end += 1;
    else if (char === '\n') return end;
    else if (delimiter === '/' && char === '[') inClass = true;
    else if (delimiter === '/' && char === ']') inClass = false;
    else if (char === delimiter && !inClass) return end + 1;
  }
  return source.length;
}
