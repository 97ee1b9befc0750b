import { open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { ADAPTER_FILES } from '../adapter-files.ts';
import { checkAdapter } from '../check-adapter.ts';
import { isFloatType, readFloats } from './float-formats.ts';
import { readSafetensorsHeader } from './safetensors-header.ts';
import type { TensorEntry } from './safetensors-header.ts';
import { WeightsError } from '../weights-error.ts';

/** What an adapter adds to one matrix: `scale · left · right`, of the shape of the matrix. */
export interface LoraDelta {
  /** Rows of the matrix by rank. */
  readonly left: Float32Array;
  /** Rank by columns of the matrix. */
  readonly right: Float32Array;
  readonly rows: number;
  readonly columns: number;
  readonly rank: number;
  readonly scale: number;
}

/** The pairs of an adapter, by the path of the module in the base model; each is read when it is asked for. */
export interface LoraPairs extends AsyncDisposable {
  readonly modules: readonly string[];
  readonly warnings: readonly string[];
  read(module: string): Promise<LoraDelta>;
}

const PREFIX = 'base_model.model.';

/** Opens a folder that PEFT loads. */
export async function openLoraPairs(directory: string): Promise<LoraPairs> {
  const file = path.join(directory, ADAPTER_FILES.tensors);
  const header = await readSafetensorsHeader(file);
  const { ranks, warnings } = checkAdapter(header);
  const config = JSON.parse(await readFile(path.join(directory, ADAPTER_FILES.config), 'utf8')) as Record<
    string,
    unknown
  >;
  refuseVariants(config);
  const handle = await open(file, 'r');
  const paths = new Map(
    [...ranks.keys()].map((full) => [full.startsWith(PREFIX) ? full.slice(PREFIX.length) : full, full]),
  );
  return {
    modules: [...paths.keys()],
    warnings,
    async read(module) {
      const full = paths.get(module)!;
      const rank = ranks.get(full)!;
      const find = (side: 'A' | 'B'): TensorEntry => {
        const name = new RegExp(`^\\.lora_(?:embedding_)?${side}(?:\\.weight)?$`);
        for (const [tensor, entry] of header.tensors) {
          if (tensor.startsWith(full) && name.test(tensor.slice(full.length))) return entry;
        }
        throw bad(`has no matrix ${side} of ${module}`);
      };
      const [a, b] = [find('A'), find('B')];
      const [A, B] = [await readMatrix(handle, a), await readMatrix(handle, b)];
      const scale = readScale(config, module, rank);
      const isEmbedding = module.endsWith('embed_tokens');
      // PEFT keeps an embedding as rank by vocabulary, and adds the product turned round; SkyRL as vocabulary by rank.
      if (isEmbedding && a.shape[0] === rank && b.shape[1] === rank) {
        const [columns, rows] = [b.shape[0]!, a.shape[1]!];
        return { left: turn(A, rank, rows), right: turn(B, columns, rank), rows, columns, rank, scale };
      }
      if (isEmbedding) return { left: A, right: B, rows: a.shape[0]!, columns: b.shape[1]!, rank, scale };
      return { left: B, right: A, rows: b.shape[0]!, columns: a.shape[1]!, rank, scale };
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** What would make the sum another one. */
function refuseVariants(config: Readonly<Record<string, unknown>>): void {
  for (const name of ['use_dora', 'fan_in_fan_out', 'lora_bias']) {
    if (config[name] === true) throw bad(`has ${name}, which cannot be merged here. Load it with PEFT instead`);
  }
  const saved = config['modules_to_save'];
  if (Array.isArray(saved) && saved.length > 0)
    throw bad('has whole modules (modules_to_save), which cannot be merged here');
}

/** α / rank, or α / √rank; α may be given for single modules. */
function readScale(config: Readonly<Record<string, unknown>>, module: string, rank: number): number {
  const patterns = Object.entries((config['alpha_pattern'] ?? {}) as Record<string, unknown>);
  const own = patterns.find(([pattern]) => new RegExp(`(^|.*\\.)(${pattern})$`).test(module))?.[1];
  const alpha = own ?? config['lora_alpha'];
  if (typeof alpha !== 'number' || !Number.isFinite(alpha)) throw bad(`says lora_alpha ${JSON.stringify(alpha)}`);
  return config['use_rslora'] === true ? alpha / Math.sqrt(rank) : alpha / rank;
}

async function readMatrix(handle: FileHandle, { dtype, byteOffset, byteLength }: TensorEntry): Promise<Float32Array> {
  if (!isFloatType(dtype)) throw bad(`has matrices of the type ${dtype}`);
  const bytes = new Uint8Array(byteLength);
  const { bytesRead } = await handle.read(bytes, 0, byteLength, byteOffset);
  if (bytesRead !== byteLength) throw bad('ends too early');
  return readFloats(bytes, dtype);
}

function turn(matrix: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(matrix.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = matrix[row * columns + column]!;
  }
  return turned;
}

const bad = (what: string): WeightsError =>
  new WeightsError({ reason: 'bad-adapter', message: `The adapter ${what}.` });
