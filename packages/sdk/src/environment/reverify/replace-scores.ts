/** Scores stand behind two fields of numbers only, so the first place that looks like them is them. */
const SCORES = /^(\s*\{\s*"tokens":[^"]*"masks":[^"]*"scores":\s*)\[[^\]]*\]/;

/** The line with other scores; everything else stays as it was written, to the byte where the line is one of ours. */
export function replaceScores(line: string, scores: readonly number[]): string {
  const written = `[${scores.map(writeFloat).join(',')}]`;
  if (SCORES.test(line)) return line.replace(SCORES, (_all, before: string) => `${before}${written}`);
  const value = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify({ ...value, scores });
}

/** Python makes integers of numbers without a point. */
const writeFloat = (value: number): string =>
  Number.isInteger(value) && !String(value).includes('e') ? `${value}.0` : String(value);
