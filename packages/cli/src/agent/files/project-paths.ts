import { ToolError } from '@lachesis/sdk/agent';
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

/** What is in these goes to the model's server, and is of no use for the work. */
const SECRET_NAMES =
  /^(?:\.env(?:\.(?!example$|sample$|template$).*)?|\.npmrc|\.netrc|\.pypirc|secrets?(?:\..*)?|id_(?:rsa|ed25519|ecdsa|dsa)|.*\.(?:pem|key|p12|pfx))$/i;
const SECRET_FOLDERS = new Set(['.git', '.ssh', '.aws', '.gnupg']);
const WRITABLE = 'environments';

export async function openProject(folder: string): Promise<ProjectPaths> {
  const root = await realpath(folder);

  async function follow(given: string): Promise<string> {
    if (given.includes('\0')) throw new ToolError({ what: 'A path with a zero byte in it was given' });
    const wanted = path.resolve(root, given);
    const real = await followLinks(wanted);
    // Both are looked at: `wanted` so that `..` is refused by what was said, `real` so that no link leads out.
    if (!isInside(root, wanted) || !isInside(root, real)) {
      throw new ToolError({
        what: `${JSON.stringify(given)} is outside the project`,
        hint: 'Paths begin at the folder of the project; use list_files to see what is there',
      });
    }
    const parts = path.relative(root, real).split(path.sep);
    if (parts.some((part) => SECRET_FOLDERS.has(part) || SECRET_NAMES.test(part))) {
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

const isInside = (folder: string, file: string): boolean => file === folder || file.startsWith(folder + path.sep);

/** As far as the path is there, links are followed; the rest is appended. */
async function followLinks(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const parent = path.dirname(absolute);
    if (code !== 'ENOENT' || parent === absolute) {
      throw new ToolError({ what: `${absolute} cannot be followed`, reason: code ?? String(error), cause: error });
    }
    return path.join(await followLinks(parent), path.basename(absolute));
  }
}
