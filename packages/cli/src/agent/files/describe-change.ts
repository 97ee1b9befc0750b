/** Lines before and after the changed ones that are shown. */
const AROUND = 2;

/** What a write would do to a file: everything of a new one, the changed part of one that is there. */
export function describeChange(shown: string, before: string | undefined, after: string): string {
  const added = after.split('\n');
  if (before === undefined)
    return [`new file ${shown}, ${added.length} lines`, ...added.map((line) => `+ ${line}`)].join('\n');
  if (before === after) return `${shown} stays as it is`;
  const removed = before.split('\n');
  const most = Math.min(removed.length, added.length);
  let start = 0;
  while (start < most && removed[start] === added[start]) start += 1;
  let end = 0;
  while (end < most - start && removed[removed.length - 1 - end] === added[added.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  return [
    `${shown}, from line ${start + 1}`,
    ...same(removed.slice(Math.max(0, start - AROUND), start)),
    ...removed.slice(start, removed.length - end).map((line) => `- ${line}`),
    ...added.slice(start, added.length - end).map((line) => `+ ${line}`),
    ...same(added.slice(added.length - end, added.length - end + AROUND)),
  ].join('\n');
}
