const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const PLAIN = /^[\u0020-\u007E]*$/;
/** East Asian wide and fullwidth letters, and what is drawn as a picture. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const PICTURE = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u;
const UNSEEN = /^[\p{Mark}\p{Format}\u200B]+$/u;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (UNSEEN.test(grapheme)) return 0;
  return WIDE.test(grapheme) || PICTURE.test(grapheme) ? 2 : 1;
}

/** The text in exactly so many columns: cut with `…`, or filled up with spaces. */
export function fitText(text: string, columns: number): string {
  const cut = cutText(text, columns);
  return cut + ' '.repeat(Math.max(0, columns - textWidth(cut)));
}

/** The text in at most so many columns. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = width + graphemeWidth(segment);
    if (next > columns - 1) break;
    cut += segment;
    width = next;
  }
  return `${cut}…`;
}

/** Lines of at most so many columns, broken between words where that is possible. */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (textWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const word of line.split(/(?<=\s)/u)) {
    if (width > 0 && width + textWidth(word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = '';
      width = 0;
    }
    for (const { segment } of segmenter.segment(word)) {
      const step = graphemeWidth(segment);
      if (width + step > columns) {
        lines.push(current.trimEnd());
        current = '';
        width = 0;
        if (segment.trim() === '') continue;
      }
      current += segment;
      width += step;
    }
  }
  lines.push(current.trimEnd());
  return lines;
}
