import path from 'node:path';
import { listEntries, listPackages, type WorkspacePackage } from './packages.ts';
import { readDeclaration, type Declaration } from './read-declaration.ts';
import { hasRepositoryFile, listRepositoryFiles, readRepositoryFile } from './source-files.ts';

export interface PublicName extends Declaration {
  name: string;
  /** Where it is declared. */
  file: string;
}

/** The names of one import path, in the parts in which its file lists them. */
export interface ReferenceSection {
  /** What is written behind `from`. */
  specifier: string;
  parts: { title: string | undefined; names: PublicName[] }[];
}

export const referenceFolder = 'docs/reference';

export interface Reference {
  /** One page per package that exports something, by its path in the repository. */
  pages: ReadonlyMap<string, string>;
  /** Every public name of every package. */
  names: readonly PublicName[];
}

/** What the sources say now. */
export function readReference(): Reference {
  const packages = listPackages();
  const listed = packages
    .map((each) => ({ name: each.manifest.name, sections: readSections(each, packages) }))
    .filter(({ sections }) => sections.length > 0);
  return {
    pages: new Map(
      listed.map(({ name, sections }) => [
        `${referenceFolder}/${path.posix.basename(name)}.md`,
        renderPage(name, sections),
      ]),
    ),
    names: listed.flatMap(({ sections }) => sections.flatMap(({ parts }) => parts.flatMap(({ names }) => names))),
  };
}

/** The pages that differ from what the sources say now, and those of packages that are gone. */
export function findStalePages(pages: ReadonlyMap<string, string>): string[] {
  const gone = listRepositoryFiles().filter((file) => file.startsWith(`${referenceFolder}/`) && !pages.has(file));
  return [
    ...[...pages]
      .filter(([page, text]) => !hasRepositoryFile(page) || readRepositoryFile(page) !== text)
      .map(([page]) => page),
    ...gone,
  ];
}

function readSections(workspacePackage: WorkspacePackage, packages: readonly WorkspacePackage[]): ReferenceSection[] {
  const fileOf = new Map(
    packages.flatMap((each) =>
      listEntries(each).map(({ subpath, file }) => [`${each.manifest.name}${subpath.slice(1)}`, file]),
    ),
  );
  const resolve = (from: string, specifier: string): string =>
    specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(from), specifier)
      : (fileOf.get(specifier) ?? specifier);

  return listEntries(workspacePackage)
    .filter(({ file }) => hasRepositoryFile(file))
    .map(({ subpath, file }) => ({
      specifier: `${workspacePackage.manifest.name}${subpath.slice(1)}`,
      parts: listParts(readRepositoryFile(file)).map(({ title, names }) => ({
        title,
        names: names
          .map((name) => findPublicName(file, name, resolve))
          .toSorted((left, right) => left.name.localeCompare(right.name, 'en')),
      })),
    }));
}

/** The exported names of a source, in the parts that its comments of one line begin. */
export function listParts(source: string): { title: string | undefined; names: string[] }[] {
  const parts: { title: string | undefined; names: string[] }[] = [{ title: undefined, names: [] }];
  const line =
    /^\/\/ (?<title>.+)$|^export (?:type )?\{(?<list>[^}]*)\}|^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|const|let|function\*?|class) (?<name>[\w$]+)/gm;
  for (const { groups } of source.matchAll(line)) {
    const { title, list, name } = groups ?? {};
    if (title !== undefined) parts.push({ title: title.replace(/\.$/, ''), names: [] });
    else if (name !== undefined) parts.at(-1)?.names.push(name);
    else parts.at(-1)?.names.push(...readList(String(list)).map(({ exported }) => exported));
  }
  return parts.filter(({ names }) => names.length > 0);
}

function readList(list: string): { local: string; exported: string }[] {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type /, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [local = '', exported = local] = entry.split(/\s+as\s+/);
      return { local, exported };
    });
}

/** Follows a name from the file that shows it to the one that declares it. */
function findPublicName(file: string, name: string, resolve: (from: string, specifier: string) => string): PublicName {
  const source = readRepositoryFile(file);
  for (const { groups } of source.matchAll(/^export (?:type )?\{(?<list>[^}]*)\} from '(?<from>[^']+)'/gm)) {
    const found = readList(String(groups?.['list'])).find(({ exported }) => exported === name);
    if (found === undefined) continue;
    const target = findPublicName(resolve(file, String(groups?.['from'])), found.local, resolve);
    return { ...target, name, signature: target.signature.replace(/(?<=^[\w*]+ )[\w$]+/, name) };
  }
  const declaration = readDeclaration(source, name);
  if (declaration === undefined) throw new Error(`${file} shows ${name}, and no declaration of it was found.`);
  return { ...declaration, name, file };
}

function renderPage(name: string, sections: readonly ReferenceSection[]): string {
  const lines = [
    `# ${name}`,
    '',
    'Every name that the package exports: how it is declared, and what it is for. Made from the comments in the source by',
    '`pnpm surface --write`; `…` stands where a long declaration was cut.',
  ];
  for (const { specifier, parts } of sections) {
    lines.push('', `## \`${specifier}\``);
    for (const { title, names } of parts) {
      if (title !== undefined) lines.push('', `### ${title}`);
      lines.push('');
      for (const each of names) lines.push(`- \`${each.signature.replaceAll('`', "'")}\``, `  ${each.sentence ?? '–'}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Whether a sentence says more than the name it stands beside: three words that are not in the name.
 */
export function saysSomething({ name, sentence = '' }: Pick<PublicName, 'name' | 'sentence'>): boolean {
  const own = new Set(toWords(name.replaceAll(/(?<lower>[a-z])(?<upper>[A-Z])/g, '$<lower> $<upper>')));
  return new Set(toWords(sentence).filter((word) => !own.has(word))).size >= 3;
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
}
