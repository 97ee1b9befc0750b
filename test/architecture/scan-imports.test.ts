import { expect, test } from 'vitest';
import { blankSource } from './blank-source.ts';
import { scanImports } from './scan-imports.ts';

const specifiersOf = (source: string) => scanImports(source).map(({ specifier }) => specifier);

test('finds every form of import', () => {
  const source = `
    import 'a';
    import b from 'b';
    import * as c from "c";
    import type { D } from 'd';
    import e, { type F,
      g as h } from 'e';
    export { i } from 'i';
    export type { J } from 'j';
    export * from 'k';
    const l = await import('l');
    type M = import('m').M;
    new Worker(new URL('./n.ts', import.meta.url));
  `;
  expect(specifiersOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'i', 'j', 'k', 'l', 'm', './n.ts']);
});

test('tells the line of an import', () => {
  expect(scanImports("\n\nimport 'a';")).toEqual([{ specifier: 'a', line: 3, isAddress: false }]);
});

test('tells the file of a worker from an import', () => {
  const source = "import './a.ts'; new Worker(new URL('./b.ts', import.meta.url));";
  expect(scanImports(source).map(({ isAddress }) => isAddress)).toEqual([false, true]);
});

test('reads past comments, regular expressions and exports without a source', () => {
  const source = [
    "// import 'a';",
    "/* import 'b'; */",
    "const quote = /['\"]/; // import 'c';",
    'export const from = 1;',
    "export function important() { return 'd'; }",
    'const half = total / 2; // it’s',
    "import 'real';",
  ].join('\n');
  expect(specifiersOf(source)).toEqual(['real']);
});

test('blanks comments and strings, and keeps code inside templates', () => {
  const source = "const a = 'Date.now()'; // Date.now()\nconst b = `Date.now() ${Date.now() + `${{ c: 1 }}`} tail`;";
  const code = blankSource(source, { strings: true });
  expect(code).toHaveLength(source.length);
  expect(code.match(/Date\.now\(\)/g)).toHaveLength(1);
  expect(code.split('\n')).toHaveLength(2);
});
