import type { TokenCounter } from '../tokens/token-counter.ts';
import { SUMMARY_PREFIX } from './summary.ts';

export interface TrimSummaryOptions {
  readonly text: string;
  readonly tokens: number;
  readonly counter: TokenCounter;
}

/** The beginning of a summary that takes at most so many tokens, cut behind a sentence or a word. Undefined when nothing is left of it. */
export async function trimSummary({ text, tokens, counter }: TrimSummaryOptions): Promise<string | undefined> {
  let fits = 0;
  let tooLong = text.length + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if ((await counter.count(cutAt(text, middle))) <= tokens) fits = middle;
    else tooLong = middle;
  }
  // Fewer characters are not always fewer tokens, so what is given back is counted itself.
  const cut = cutAt(text, fits);
  const isShort = (await counter.count(cut)) <= tokens;
  return isShort && cut.length > SUMMARY_PREFIX.length + 1 ? cut : undefined;
}

/** At most so many places, back to the end of a sentence in the last third, else to the end of a word. */
function cutAt(text: string, length: number): string {
  if (length >= text.length) return text;
  const start = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  const sentence = Math.max(start.lastIndexOf('. '), start.lastIndexOf('.\n'));
  if (sentence > (length * 2) / 3) return start.slice(0, sentence + 1);
  const word = Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'));
  return start.slice(0, word > 0 ? word : start.length).trimEnd();
}
