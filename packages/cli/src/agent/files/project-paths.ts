import { isSecretFile } from '@lachesis/protocol';
import { ToolError } from '@lachesis/sdk/agent';
import { followInside, isInside } from '@lachesis/sdk/config';
import { realpath } from 'node:fs/promises';
import path from 'node:path';

export interface ProjectPaths {
  /** The project itself, with links followed. */
  readonly root: string;
  /** Where a path of the model leads. Throws when that is outside, or where secrets are kept. */
  toRead(given: string): Promise<string>;
  /** The same for a file that may not be there yet; only under `environments/`. */
  toWrite(given: string): Promise<string>;
  /** As the model and the person see it. */
  show(absolute: string): string;
}

const WRITABLE = 'environments';

export async function openProject(folder: string): Promise<ProjectPaths> {
  const root = await realpath(folder);

  async function follow(given: string): Promise<string> {
    if (given.includes('\0')) throw new ToolError({ what: 'A path with a zero byte in it was given' });
    const real = await followInside(root, given).catch((error: NodeJS.ErrnoException) => {
      throw new ToolError({ what: `${given} cannot be followed`, reason: error.code ?? String(error), cause: error });
    });
    if (real === undefined) {
      throw new ToolError({
        what: `${JSON.stringify(given)} is outside the project`,
        hint: 'Paths begin at the folder of the project; use list_files to see what is there',
      });
    }
    // By both names: a link called `notes.txt` may lead to a key, and one called `.env` to what a person keeps elsewhere.
    if (isSecretFile(path.relative(root, real)) || isSecretFile(path.relative(root, path.resolve(root, given)))) {
      throw new ToolError({
        what: `${JSON.stringify(given)} is where secrets are kept`,
        hint: 'Go on without it, or ask the person for the one fact you need',
      });
    }
    return real;
  }

  return {
    root,
    toRead: follow,
    async toWrite(given) {
      const real = await follow(given);
      const writable = path.join(root, WRITABLE);
      // A folder of that name that is a link leads elsewhere, and what it leads to is not under this path.
      if (!isInside(writable, real) || real === writable) {
        throw new ToolError({
          what: `${JSON.stringify(given)} cannot be written`,
          reason: `files are written under ${WRITABLE}/ of the project and nowhere else`,
          hint: `Give a path such as ${WRITABLE}/my-task.ts`,
        });
      }
      return real;
    },
    show: (absolute) => path.relative(root, absolute).split(path.sep).join('/') || '.',
  };
}
