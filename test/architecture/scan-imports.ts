import { blankSource } from './blank-source.ts';

export interface Import {
  /** What stands between the quotes. */
  specifier: string;
  /** Counted from 1. */
  line: number;
  /** The file of a worker or a process, named by its address: it is loaded elsewhere. */
  isAddress: boolean;
}

/** A worker or child process named by its file is an import too. */
const address = /new\s+URL\s*\(\s*(['"])(?<specifier>\.[^'"\n]+)\1\s*,\s*import\.meta\.url/g;

const importForms = [
  // import 'x' · import a, { b } from 'x' · import type … · export … from 'x'
  /(?<![\w$.])(?:import|export)\s+(?:type\s+)?(?:[\w$*{}\s,]+?\bfrom\s*)?(['"])(?<specifier>[^'"\n]+)\1/g,
  // import('x') as a value and as a type
  /(?<![\w$.])import\s*\(\s*(['"])(?<specifier>[^'"\n]+)\1/g,
  address,
];

/** Every module a source file names, in the order of the file. */
export function scanImports(source: string): Import[] {
  const code = blankSource(source);
  const found: (Import & { offset: number })[] = [];
  for (const form of importForms) {
    for (const match of code.matchAll(form)) {
      const specifier = match.groups?.['specifier'];
      if (specifier === undefined) continue;
      found.push({
        specifier,
        offset: match.index,
        line: code.slice(0, match.index).split('\n').length,
        isAddress: form === address,
      });
    }
  }
  return found
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ specifier, line, isAddress }) => ({ specifier, line, isAddress }));
}
