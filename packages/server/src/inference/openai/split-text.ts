/** Small enough to look like a stream, large enough not to be mostly envelope. */
const PIECE = 24;

/** Cuts a text into pieces, never inside a character. */
export function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + PIECE);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}
