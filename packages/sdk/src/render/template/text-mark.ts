/**
 * Text of messages may hold the text of a control token, such as a turn marker. Before rendering, one private character is
 * put after the first character of each such place; after rendering it tells the encoder which markers are only text. Until
 * then a template must not notice it: comparing, searching, cutting and counting treat it as absent.
 */
export interface TextMark {
  /** The private character, or undefined when no text needed one: then all of this costs nothing. */
  readonly character: string | undefined;
}

export const NO_MARK: TextMark = { character: undefined };

/** The text as the template is meant to see it. */
export function withoutMark(text: string, mark: TextMark): string {
  return mark.character === undefined || !text.includes(mark.character) ? text : text.replaceAll(mark.character, '');
}

/** Python's characters: code points, each with the mark that may follow it. */
export function toCharacters(text: string, mark: TextMark): string[] {
  const characters = Array.from(text);
  if (mark.character === undefined || !text.includes(mark.character)) return characters;
  const joined: string[] = [];
  for (const character of characters) {
    if (character === mark.character && joined.length > 0) joined[joined.length - 1] += character;
    else joined.push(character);
  }
  return joined;
}

export function countCharacters(text: string, mark: TextMark): number {
  const plain = withoutMark(text, mark);
  let count = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const unit = plain.charCodeAt(index);
    // The second half of a pair belongs to the character that the first half counted.
    if (unit < 0xdc00 || unit > 0xdfff || index === 0 || !isHighSurrogate(plain.charCodeAt(index - 1))) count += 1;
  }
  return count;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Places of `needle`, from left to right and not overlapping, as [start, end) in `text` with its marks. */
export function findPlaces(text: string, needle: string, mark: TextMark): [start: number, end: number][] {
  const plainNeedle = withoutMark(needle, mark);
  const plain = withoutMark(text, mark);
  const places: [number, number][] = [];
  for (let at = plain.indexOf(plainNeedle); at >= 0; at = plain.indexOf(plainNeedle, at + plainNeedle.length)) {
    places.push([at, at + plainNeedle.length]);
  }
  if (plain.length === text.length || places.length === 0) return places;
  const positions: number[] = [];
  for (let index = 0; index < text.length; index += 1) if (text[index] !== mark.character) positions.push(index);
  // A mark after the last character of a place goes with it.
  return places.map(([start, end]) => [positions[start] ?? 0, positions[end] ?? text.length]);
}
