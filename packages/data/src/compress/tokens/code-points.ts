const HAS_SURROGATE = /[\ud800-\udfff]/;

/** `len(text)` of Python, which counts code points. */
export function countCodePoints(text: string): number {
  if (!HAS_SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _unused of text) count += 1;
  return count;
}

/** `text[:first] + middle + text[-last:]` of Python for a text longer than `limit`, else the text. */
export function cutMiddle(
  text: string,
  { limit, first, last, middle }: { limit: number; first: number; last: number; middle: string },
): string {
  if (text.length <= limit || countCodePoints(text) <= limit) return text;
  if (!HAS_SURROGATE.test(text)) return text.slice(0, first) + middle + text.slice(-last);
  const points = Array.from(text);
  return points.slice(0, first).join('') + middle + points.slice(-last).join('');
}
