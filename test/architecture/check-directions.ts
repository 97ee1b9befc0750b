import { isBuiltin } from 'node:module';
import path from 'node:path';
import { exceptions as allExceptions, lessons, rooms as allRooms, type Exception, type Room } from './directions.ts';
import { listEntries, type WorkspacePackage } from './packages.ts';
import { scanImports } from './scan-imports.ts';
import { isTestFile } from './source-files.ts';

export interface SourceFile {
  /** From the root of the repository. */
  file: string;
  source: string;
}

export interface CheckDirectionsOptions {
  files: readonly SourceFile[];
  packages: readonly WorkspacePackage[];
  rooms?: readonly Room[];
  exceptions?: readonly Exception[];
}

/** Returns one teaching sentence per import that the table of directions does not allow. */
export function checkDirections({
  files,
  packages,
  rooms = allRooms,
  exceptions = allExceptions,
}: CheckDirectionsOptions): string[] {
  const problems: string[] = [];
  for (const { file, source } of files) {
    const room = findRoom(file, rooms);
    if (room === undefined) {
      problems.push(`${file} is in no room. Give its folder a line in test/architecture/directions.ts.`);
      continue;
    }
    const excepted = exceptions.filter((each) => each.file === file).map(({ to }) => to);
    const mayImport = [...room.mayImport, ...excepted];
    for (const { specifier, line } of scanImports(source)) {
      const problem = judgeImport({ file, room: { ...room, mayImport }, specifier, packages, rooms });
      if (problem !== undefined) problems.push(`${file}:${line} ${problem}`);
    }
  }
  return problems;
}

interface JudgedImport {
  file: string;
  room: Room;
  specifier: string;
  packages: readonly WorkspacePackage[];
  rooms: readonly Room[];
}

function judgeImport({ file, room, specifier, packages, rooms }: JudgedImport): string | undefined {
  if (specifier.startsWith('.')) return judgeRelative({ file, room, specifier, packages, rooms });

  const owner = packages.find(
    ({ manifest }) => specifier === manifest.name || specifier.startsWith(`${manifest.name}/`),
  );
  if (owner === undefined) return judgeLibrary(file, room, specifier);
  if (file.startsWith(`${owner.folder}/`)) {
    return `imports its own package by name (${specifier}). Inside a package use a relative path, so that the entry point is not loaded.`;
  }
  const subpath = `.${specifier.slice(owner.manifest.name.length)}`;
  const entry = listEntries(owner).find((candidate) => candidate.subpath === subpath);
  if (entry === undefined) {
    return `imports ${specifier}, which is no entry of ${owner.manifest.name}. Its entries are the "exports" of ${owner.folder}/package.json.`;
  }
  return judgeArrow(room, findRoom(entry.file, rooms), entry.file);
}

function judgeRelative({ file, room, specifier, rooms }: JudgedImport): string | undefined {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (target.startsWith('test/')) {
    return isTestFile(file)
      ? undefined
      : `imports ${target}. Product code never imports from test/; move the part it needs here.`;
  }
  const home = packageFolder(file);
  if (packageFolder(target) !== home) {
    return `reaches into ${target} by path. Import other packages by their name.`;
  }
  if (!target.startsWith(`${home}/src/`)) return undefined; // package.json and the like, which are in no room
  return judgeArrow(room, findRoom(target, rooms), target);
}

function judgeArrow(from: Room, to: Room | undefined, target: string): string | undefined {
  if (to === undefined) return `imports ${target}, which is in no room of test/architecture/directions.ts.`;
  if (to.name === from.name || from.mayImport.includes(to.name) || from.mayImport.includes('*')) return undefined;
  const lesson = lessons.find((candidate) => candidate.from.test(from.name) && candidate.to.test(to.name));
  const allowed = from.mayImport.length === 0 ? 'no other room' : from.mayImport.join(', ');
  return [
    `draws the arrow ${from.name} ▶ ${to.name} (${target}), but ${from.name} may import ${allowed}.`,
    lesson?.instead ?? 'Move the code to the room that may see both sides, or take the part as an option.',
    'If the arrow is right, add it to test/architecture/directions.ts in this commit and say why.',
  ].join(' ');
}

function judgeLibrary(file: string, room: Room, specifier: string): string | undefined {
  if (room.libraries === undefined || isTestFile(file)) return undefined;
  const name = isBuiltin(specifier) ? 'node:' : specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (room.libraries.includes(name)) return undefined;
  return `imports ${specifier}, but ${room.name} uses only ${room.libraries.join(', ')} so that it runs in a browser and a worker as well as in Node.`;
}

/** The room whose folder holds the file, the deepest one if several do. */
export function findRoom(file: string, rooms: readonly Room[] = allRooms): Room | undefined {
  return rooms
    .filter(({ folder }) => file.startsWith(`${folder}/`))
    .toSorted((left, right) => right.folder.length - left.folder.length)[0];
}

function packageFolder(file: string): string {
  return file.split('/', 2).join('/');
}
