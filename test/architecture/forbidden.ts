import { blankSource } from './blank-source.ts';

export interface Forbidden {
  pattern: RegExp;
  instead: string;
}

/** Returns `file:line found. instead` for each place where code (not a comment, not a string) has what is forbidden. */
export function findForbidden(file: string, source: string, forbidden: readonly Forbidden[]): string[] {
  const code = blankSource(source, { strings: true });
  return forbidden.flatMap(({ pattern, instead }) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(
      (match) => `${file}:${code.slice(0, match.index).split('\n').length} has ${match[0]}. ${instead}`,
    ),
  );
}
