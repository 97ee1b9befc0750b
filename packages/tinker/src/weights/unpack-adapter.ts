import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { ADAPTER_FILES, isAdapterFile, MAX_CONFIG_BYTES } from './adapter-files.ts';
import { broken, readTar } from './read-tar.ts';
import type { TarLimits } from './read-tar.ts';
import { WeightsError } from './weights-error.ts';

export interface UnpackAdapterOptions {
  /** A tar file, gzipped or plain. */
  archive: string;
  /** An empty directory. Nothing is ever written outside of it, nor under a name the archive chose. */
  directory: string;
  limits: TarLimits;
  signal?: AbortSignal | undefined;
}

/** Takes the two adapter files out of an archive, from whichever folder of it they are in. */
export async function unpackAdapter({ archive, directory, limits, signal }: UnpackAdapterOptions): Promise<void> {
  const open_ = new Set<FileHandle>();
  const folders = new Set<string>();
  const read = async (chunks: AsyncIterable<Uint8Array>) =>
    readTar({
      chunks,
      limits,
      openFile: async ({ name, size }) => {
        const file = path.posix.basename(name);
        if (!isAdapterFile(file)) return undefined;
        folders.add(path.posix.dirname(name));
        if (folders.size > 1) {
          throw new WeightsError({ reason: 'bad-adapter', message: 'The archive holds more than one adapter.' });
        }
        if (file === ADAPTER_FILES.config && size > MAX_CONFIG_BYTES) {
          throw new WeightsError({ reason: 'too-large', message: `${file} has ${size} bytes.` });
        }
        const handle = await open(path.join(directory, file), 'wx');
        open_.add(handle);
        return {
          write: (piece) => handle.writeFile(piece),
          end: async () => {
            await handle.sync();
            await handle.close();
            open_.delete(handle);
          },
        };
      },
    });
  try {
    const options = signal === undefined ? {} : { signal };
    if (await isGzip(archive)) await pipeline(createReadStream(archive), createGunzip(), read, options);
    else await pipeline(createReadStream(archive), read, options);
  } catch (error) {
    throw isZlibError(error) ? broken('is not whole: its compression ends or breaks early', error) : error;
  } finally {
    await Promise.all([...open_].map((handle) => handle.close()));
  }
}

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(new Uint8Array(2), 0, 2, 0);
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
