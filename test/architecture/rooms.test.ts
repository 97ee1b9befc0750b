import path from 'node:path';
import { expect, test } from 'vitest';
import { listPackages } from './packages.ts';
import { hasRepositoryFile, isTestFile, listSourceFiles, readRepositoryFile } from './source-files.ts';

/** Folders that hold rooms and are none themselves. */
const corridors = new Set(['packages/server/src/loop', 'packages/server/src/control']);

/** The rooms of a package: the folders in its src, and the stations in its corridors. */
function listRooms(packageFolder: string): string[] {
  const files = listSourceFiles().filter((file) => file.startsWith(`${packageFolder}/src/`) && !isTestFile(file));
  const roomOf = (file: string) => {
    const first = file.split('/', 4).join('/');
    return corridors.has(first) ? file.split('/', 5).join('/') : first;
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
    const silent = listRooms(folder).filter(
      (room) => !hasRepositoryFile(`${room}/README.md`) && text?.includes(`${path.posix.basename(room)}/`) !== true,
    );
    expect(
      [
        ...(text === undefined ? [`${readme} is missing. Say its job, its doors, and what is always true.`] : []),
        ...silent.map(
          (room) => `${room} has no README.md and \`${path.posix.basename(room)}/\` is not described in ${readme}.`,
        ),
      ].join('\n'),
    ).toBe('');
  },
);
