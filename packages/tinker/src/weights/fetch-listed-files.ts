import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { isAdapterFile } from './adapter-files.ts';
import { fetchToFile } from './fetch-to-file.ts';
import type { FetchSettings } from './fetch-to-file.ts';
import type { Staging } from './staging.ts';
import { WeightsError } from './weights-error.ts';

/** A file of an adapter that some server lists. */
export interface ListedFile {
  readonly name: string;
  readonly url: URL;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Gets files that a server lists, under the names that PEFT knows and no others, and holds each against its digest. */
export async function fetchListedFiles(options: {
  settings: FetchSettings;
  staging: Staging;
  folder: string;
  files: readonly ListedFile[];
}): Promise<void> {
  const { settings, staging, folder, files } = options;
  const unknown = files.find(({ name }) => !isAdapterFile(name));
  if (unknown !== undefined) {
    const message = `The server lists ${JSON.stringify(unknown.name)}, which is no file of an adapter.`;
    throw new WeightsError({ reason: 'bad-adapter', message });
  }
  for (const { name, url, sha256 } of files) {
    const file = await fetchToFile({ ...settings, staging, file: name, locate: async () => url });
    if ((await digestFile(file)) === sha256) continue;
    await rm(file, { force: true });
    const message = `${name} did not arrive as the server has it: its digest is another one. Try again.`;
    throw new WeightsError({ reason: 'protocol', message });
  }
  // All of them at the end: until then a death leaves them where the next call looks for them.
  for (const { name } of files) await rename(path.join(staging.directory, name), path.join(folder, name));
}

/** SHA-256 of a file in hexadecimal, read in pieces. */
async function digestFile(file: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(file), digest);
  return digest.digest('hex');
}
