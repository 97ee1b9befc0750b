import { readFileSync } from 'node:fs';

export interface ExpectedFailure {
  /** `edges/<case>`. */
  readonly name: string;
  readonly reason: string;
}

/** The list beside this file, in the two-line form its head describes. */
export function readExpectedFailures(): ExpectedFailure[] {
  return parseExpectedFailures(readFileSync(new URL('expected-failures.yaml', import.meta.url), 'utf8'));
}

/** Reads exactly the form the file promises; anything else is refused, because a typo here would hide a failure. */
export function parseExpectedFailures(text: string): ExpectedFailure[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  if (lines.length === 1 && lines[0] === '[]') return [];
  const failures: ExpectedFailure[] = [];
  for (let index = 0; index < lines.length; index += 2) {
    const name = /^- name: (\S+)$/.exec(lines[index] ?? '')?.[1];
    const reason = /^ {2}reason: (\S.*)$/.exec(lines[index + 1] ?? '')?.[1];
    if (name === undefined || reason === undefined) {
      throw new Error(
        `expected-failures.yaml: cannot read ${JSON.stringify(lines.slice(index, index + 2).join('\n'))}`,
      );
    }
    failures.push({ name, reason });
  }
  return failures;
}
