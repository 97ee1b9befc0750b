import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptsEncoding } from '../../http/compress-json.ts';

export interface PageFile {
  bytes: Buffer;
  /** Undefined when it is as it was built. */
  encoding: 'br' | 'gzip' | undefined;
}

/** As the build leaves them beside each file, the smallest first. */
const COMPRESSED = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const;

/** One file of the built page, compressed as the browser takes it where the build did so; undefined when there is none. */
export async function readPageFile(options: {
  folder: string;
  /** Below the folder; what a caller wrote was checked before. */
  name: string;
  acceptEncoding: string | string[] | undefined;
}): Promise<PageFile | undefined> {
  const path = join(options.folder, options.name);
  for (const { encoding, ending } of COMPRESSED) {
    if (!acceptsEncoding(options.acceptEncoding, encoding)) continue;
    const bytes = await readIfThere(`${path}${ending}`);
    if (bytes !== undefined) return { bytes, encoding };
  }
  const bytes = await readIfThere(path);
  return bytes === undefined ? undefined : { bytes, encoding: undefined };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}
