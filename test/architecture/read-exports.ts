import { blankSource } from './blank-source.ts';

const declaration =
  /^export\s+(?:declare\s+)?(?:(?<kind>interface|type)\s+|(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class)\s+)(?<name>[\w$]+)/gm;
const list = /^export\s+(?<kind>type\s+)?\{(?<names>[^}]*)\}/gm;
const star = /^export\s+(?:type\s+)?\*(?:\s+as\s+(?<name>[\w$]+))?\s+from\s+(?<from>['"][^'"\n]+['"])/gm;

/**
 * The names an entry point exports, sorted: `encodeGroup` for a value, `type GroupPayload` for a type.
 * An entry point names what it shows one by one, so `export *` is refused.
 */
export function readExports(file: string, source: string): string[] {
  const code = blankSource(source);
  const names: string[] = [];
  for (const { groups } of code.matchAll(declaration)) {
    names.push(groups?.['kind'] === undefined ? String(groups?.['name']) : `type ${groups['name']}`);
  }
  for (const { groups } of code.matchAll(list)) {
    for (const entry of String(groups?.['names']).split(',')) {
      const words = entry.trim().split(/\s+/);
      const exported = words.at(-1);
      if (exported === undefined || exported === '') continue;
      const isType = groups?.['kind'] !== undefined || (words[0] === 'type' && words.length > 1);
      names.push(isType ? `type ${exported}` : exported);
    }
  }
  for (const { groups } of code.matchAll(star)) {
    if (groups?.['name'] === undefined) {
      throw new Error(
        `${file} has \`export * from ${groups?.['from']}\`. An entry point names every export, so that nothing becomes public by accident.`,
      );
    }
    names.push(groups['name']);
  }
  return names.toSorted();
}
