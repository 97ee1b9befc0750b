import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** The group and everybody else. */
const OTHERS = 0o077;

export interface PrivateFile {
  text: string;
  /** Who owns it. */
  uid: number;
}

/** What a file of one line holds; undefined when it is not there. One that others may read is refused. */
export function readPrivateFile(file: string): PrivateFile | undefined {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EACCES: the home of somebody else, whose servers are not ours to call.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return undefined;
    throw error;
  }
  try {
    // Of the file that is open, so that another cannot be put in its place in between.
    const { mode, uid } = fstatSync(handle);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new Error(
        `${file} may be read by others (mode ${(mode & 0o777).toString(8)}). Close it with: chmod 600 ${file}`,
      );
    }
    return { text: readFileSync(handle, 'utf8').trim(), uid };
  } finally {
    closeSync(handle);
  }
}
