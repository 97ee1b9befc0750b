import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { EngineError } from '../engine-error.ts';
import { listEnginePaths, shippedFiles } from '../engine-paths.ts';
import { findQwen3Tokenizer } from './find-qwen3-tokenizer.ts';
import { makeFolder } from '../make-folder.ts';
import { prepareEngine, type PrepareEngineOptions } from '../prepare-engine.ts';
import { runTool } from '../run-tool.ts';
import { createToolEnvironment } from '../tool-environment.ts';

/** Learning a vocabulary and drawing the weights takes three seconds; a real tokenizer and a wide model take a minute. */
const MAKE_TIMEOUT_MS = 10 * 60_000;

export interface TinyModelShape {
  /** `trained` learns a small vocabulary; `qwen3` takes the real one, with tied embeddings; else a folder with a tokenizer. */
  readonly tokenizer?: string;
  /** Size of a learned vocabulary; 2048 by default. */
  readonly vocabularySize?: number;
  /** Width of the model, a multiple of 8; 64 by default. */
  readonly hiddenSize?: number;
  /** 2 by default. */
  readonly layers?: number;
  /** The same seed gives the same weights; 0 by default. */
  readonly seed?: number;
}

export interface MakeTinyModelOptions extends PrepareEngineOptions, TinyModelShape {
  /** Where the model goes; must be empty or absent. */
  readonly directory: string;
}

export interface MadeModel {
  readonly directory: string;
}

/** Makes a small random Qwen3 in Hugging Face layout: it knows nothing and learns within seconds. */
export async function makeTinyModel(options: MakeTinyModelOptions): Promise<MadeModel> {
  const { signal, onProgress, env = process.env, run = runTool } = options;
  const sizes = checkShape(options);
  const directory = resolve(options.directory);
  const tokenizer = await findTokenizer(options);
  const prepared = await prepareEngine(options);
  onProgress?.({ step: 'model', message: `making a tiny Qwen3 in ${directory}` });
  await makeFolder(directory, async (staged) => {
    const made = await run({
      command: prepared.python,
      // -B: the folder of our scripts may be shared or read-only.
      args: [
        '-B',
        shippedFiles.makeTinyModel,
        staged,
        ...sizes,
        ...(tokenizer === undefined ? [] : ['--tokenizer', tokenizer]),
      ],
      env: createToolEnvironment(env),
      signal,
      timeoutMs: MAKE_TIMEOUT_MS,
    });
    if (made.code !== 0) {
      throw new EngineError({ reason: 'model-failed', message: 'Making the model failed.', output: made.output });
    }
  });
  return { directory };
}

/** The arguments for the script. Bounds keep a typing mistake from filling the disk. */
function checkShape(shape: TinyModelShape): string[] {
  const whole = (name: string, value: number, min: number, max: number, multiple = 1): string => {
    if (Number.isInteger(value) && value >= min && value <= max && value % multiple === 0) return String(value);
    const rule = multiple === 1 ? '' : `, divisible by ${multiple}`;
    throw badOption(`${name} must be a whole number from ${min} to ${max}${rule}, and ${value} was given.`);
  };
  return [
    // 256 bytes and three special tokens are always in it.
    ...['--vocabulary', whole('the vocabulary size', shape.vocabularySize ?? 2048, 384, 65_536)],
    // Four heads whose width must be even for rotary positions.
    ...['--hidden', whole('the hidden size', shape.hiddenSize ?? 64, 16, 2048, 8)],
    ...['--layers', whole('the number of layers', shape.layers ?? 2, 1, 64)],
    ...['--seed', whole('the seed', shape.seed ?? 0, 0, 0x7fff_ffff)],
  ];
}

async function findTokenizer(options: MakeTinyModelOptions): Promise<string | undefined> {
  const { tokenizer = 'trained' } = options;
  if (tokenizer === 'trained') return undefined;
  if (tokenizer === 'qwen3') {
    return findQwen3Tokenizer({ downloads: listEnginePaths(options.home).downloads, ...options });
  }
  const folder = resolve(tokenizer);
  const missing = ['tokenizer.json', 'tokenizer_config.json'].filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return folder;
  throw badOption(`the tokenizer is \`trained\`, \`qwen3\` or a folder, and ${folder} lacks ${missing.join(' and ')}.`);
}

function badOption(message: string): EngineError {
  return new EngineError({ reason: 'bad-option', message: message.charAt(0).toUpperCase() + message.slice(1) });
}
