import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';

import { makeTemplate } from './make-template.ts';
import type { TemplateShape } from './make-template.ts';

/** A group without its beginning, compressed once; `compose-body.ts` puts a beginning in front. */
export interface Template {
  readonly gzipped: Buffer;
  readonly inflatedBytes: number;
}

export interface LoadTemplatesOptions extends TemplateShape {
  readonly count: number;
  /** The operating system's by default. */
  readonly cacheFolder?: string;
}

const compress = promisify(gzip);

/**
 * The templates of a shape. Making them costs about a tenth of a second each (Python's clients compress at level 9, so this
 * does), hence they are kept in a file; its name carries a hash of the recipe, so a changed recipe never meets old bytes.
 */
export async function loadTemplates(options: LoadTemplatesOptions): Promise<Template[]> {
  const path = join(options.cacheFolder ?? join(tmpdir(), 'lachesis-bench-bodies'), cacheName(options));
  const cached = await readIfPresent(path);
  if (cached !== undefined) return unpackTemplates(cached);
  const templates: Template[] = [];
  for (let index = 0; index < options.count; index += 1) {
    const text = Buffer.from(makeTemplate(options, index + 1));
    templates.push({ gzipped: await compress(text, { level: 9 }), inflatedBytes: text.length });
  }
  await mkdir(join(path, '..'), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, packTemplates(templates));
  await rename(unfinished, path);
  return templates;
}

function cacheName({ sequences, tokens, count }: LoadTemplatesOptions): string {
  const recipe = createHash('sha256')
    .update(makeTemplate({ sequences: 2, tokens: 64 }, 1))
    .digest('hex');
  return `${sequences}x${tokens}x${count}-${recipe.slice(0, 16)}.bin`;
}

function packTemplates(templates: readonly Template[]): Buffer {
  return Buffer.concat(
    templates.flatMap(({ gzipped, inflatedBytes }) => {
      const lengths = Buffer.alloc(8);
      lengths.writeUInt32LE(gzipped.length, 0);
      lengths.writeUInt32LE(inflatedBytes, 4);
      return [lengths, gzipped];
    }),
  );
}

function unpackTemplates(bytes: Buffer): Template[] {
  const templates: Template[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const end = offset + 8 + bytes.readUInt32LE(offset);
    templates.push({ gzipped: bytes.subarray(offset + 8, end), inflatedBytes: bytes.readUInt32LE(offset + 4) });
    offset = end;
  }
  return templates;
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
