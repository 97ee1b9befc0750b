import type { GroupPayload } from '../codec/group-payload.ts';
import type { Report } from './collect-issues.ts';

const FIELD = 'policy_ranges';

/** Each range lies inside its sequence, is not empty, and shares no token with another. */
export function checkPolicyRanges({ policyRanges: quads, tokens }: GroupPayload, report: Report): void {
  if (quads === undefined) return;
  const ranges: { sequence: number; start: number; end: number }[] = [];
  for (let quad = 0; quad + 3 < quads.length; quad += 4) {
    const [sequence, start, end] = [quads[quad]!, quads[quad + 1]!, quads[quad + 2]!];
    const length = tokens.rowLengths[sequence];
    const place = `range ${start} to ${end}`;
    if (length === undefined) {
      if (!report(null, FIELD, `names sequence ${sequence} of ${tokens.rowLengths.length}`)) return;
    } else if (start >= end) {
      if (!report(sequence, FIELD, `${place} is empty`)) return;
    } else if (end > length) {
      if (!report(sequence, FIELD, `${place} reaches beyond ${length} tokens`)) return;
    } else {
      ranges.push({ sequence, start, end });
    }
  }
  ranges.sort((left, right) => left.sequence - right.sequence || left.start - right.start);
  for (const [index, range] of ranges.entries()) {
    const before = ranges[index - 1];
    if (before === undefined || before.sequence !== range.sequence || before.end <= range.start) continue;
    const message = `ranges ${before.start} to ${before.end} and ${range.start} to ${range.end} overlap`;
    if (!report(range.sequence, FIELD, message)) return;
  }
}
