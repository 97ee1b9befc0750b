import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Where a path of somebody else leads, with all links followed; undefined when that is outside the folder. What is not there
 * yet is followed as far as it is. Throws what the file system says when a part cannot be followed.
 */
export async function followInside(folder: string, given: string): Promise<string | undefined> {
  if (given.includes('\0')) return undefined;
  const root = await realpath(folder);
  const wanted = path.resolve(root, given);
  // Both are looked at: `wanted` so that `..` is refused by what was said, `real` so that no link leads out.
  if (!isInside(root, wanted)) return undefined;
  const real = await followLinks(wanted);
  return isInside(root, real) ? real : undefined;
}

/** Whether a path is the folder or below it; both without links. */
export const isInside = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** More than any kernel follows. */
const MOST_LINKS = 40;

/** As far as the path is there, links are followed; the rest is appended. A link to what is not there is followed too. */
async function followLinks(absolute: string, links = 0): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const parent = path.dirname(absolute);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === absolute || links > MOST_LINKS) throw error;
    const folder = await followLinks(parent, links + 1);
    const target = await readlink(path.join(folder, path.basename(absolute))).catch(() => undefined);
    return target === undefined
      ? path.join(folder, path.basename(absolute))
      : await followLinks(path.resolve(folder, target), links + 1);
  }
}
