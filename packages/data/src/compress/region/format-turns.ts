import { cutMiddle } from '../tokens/code-points.ts';
import type { Region } from './find-compressible.ts';
import type { Turn } from './turn.ts';

/** Of a long turn the summariser gets both ends. Code points, as everything here is counted as Python counts. */
const LONGEST_VALUE = 3_000;
const KEPT_FIRST = 1_500;
const KEPT_LAST = 500;
const MARKER = '\n...[truncated]...\n';

/** The turns of a region as the summariser reads them. */
export function formatTurns(turns: readonly Turn[], { start, end }: Region): string {
  return turns
    .slice(start, end)
    .map(({ from, value }, at) => {
      const cut = cutMiddle(value, { limit: LONGEST_VALUE, first: KEPT_FIRST, last: KEPT_LAST, middle: MARKER });
      return `[Turn ${start + at} - ${from.toUpperCase()}]:\n${cut}`;
    })
    .join('\n\n');
}
