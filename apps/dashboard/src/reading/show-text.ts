// Control characters, and those that turn the direction of the text around them: a model may write them, a reader must see them.
const HIDDEN = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFF9-\uFFFB]/gu;

/** A stranger's text in one line: what would not be seen, or would move what is, is named. */
export function showText(text: string): string {
  return showControls(text).replaceAll('\n', '↵').replaceAll('\t', '⇥');
}

/** A stranger's text with its lines as they are. */
export function showControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, (sign) => `‹${toHex(sign)}›`);
}

const toHex = (sign: string): string => (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
