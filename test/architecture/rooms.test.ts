import path from 'node:path';
import { expect, test } from 'vitest';
import { listPackages } from './packages.ts';
import { hasRepositoryFile, isTestFile, listSourceFiles, readRepositoryFile } from './source-files.ts';

/** Folders that hold rooms and are none themselves, or hold rooms besides files. */
const corridors = [
  'packages/server/src/services',
  'packages/server/src/services/runs',
  'packages/server/src/services/training',
];

/** The rooms of a package: the folders in its src, and those in its corridors. */
function listRooms(packageFolder: string): string[] {
  const files = listSourceFiles().filter((file) => file.startsWith(`${packageFolder}/src/`) && !isTestFile(file));
  const roomOf = (file: string) => {
    const folder = corridors.findLast((corridor) => file.startsWith(`${corridor}/`)) ?? `${packageFolder}/src`;
    return file.split('/', folder.split('/').length + 1).join('/');
  };
  const filesPerRoom = Map.groupBy(files, roomOf);
  return [...filesPerRoom]
    .filter(([room, members]) => !/\.tsx?$/.test(room) && members.length > 1)
    .map(([room]) => room);
}

test.each(listPackages().map(({ folder }) => folder))(
  '%s tells what it is and what each of its rooms does',
  (folder) => {
    const readme = `${folder}/README.md`;
    const text = hasRepositoryFile(readme) ? readRepositoryFile(readme) : undefined;
    const isDescribed = (room: string): boolean => {
      // The page of the corridor a room is in, or that of the package.
      const pages = [`${path.posix.dirname(room)}/README.md`, readme].filter(hasRepositoryFile).map(readRepositoryFile);
      return pages.some((page) => page.includes(`${path.posix.basename(room)}/`));
    };
    const silent = listRooms(folder).filter((room) => !hasRepositoryFile(`${room}/README.md`) && !isDescribed(room));
    expect(
      [
        ...(text === undefined ? [`${readme} is missing. Say its job, its entries, and what is always true.`] : []),
        ...silent.map(
          (room) =>
            `${room} has no README.md and \`${path.posix.basename(room)}/\` is described neither in ${readme} nor beside it.`,
        ),
      ].join('\n'),
    ).toBe('');
  },
);
