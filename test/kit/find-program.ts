import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian puts servers, which is on the PATH of root only. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** A program by its name, on the PATH or among the servers of the system. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // It is not there, or not ours to run: the next folder may have it.
    return false;
  }
}
