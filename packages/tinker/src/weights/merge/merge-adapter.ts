import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';

import { INDEX_FILE, openBaseWeights } from './base-weights.ts';
import type { BaseWeights } from './base-weights.ts';
import { bytesOf, isFloatType, readFloats, writeFloats } from './float-formats.ts';
import type { FloatType } from './float-formats.ts';
import { openLoraPairs } from './lora-pairs.ts';
import type { LoraDelta, LoraPairs } from './lora-pairs.ts';
import { checkDestination, putInPlace, recoverReplaced } from '../put-in-place.ts';
import type { TensorEntry } from './safetensors-header.ts';
import { WeightsError } from '../weights-error.ts';

export interface MergeAdapterOptions {
  /** A folder that PEFT loads, as `downloadAdapter` makes it. */
  adapter: string;
  /** The folder of the base model: config.json, tokenizer and safetensors. */
  base: string;
  /** The folder to make. */
  destination: string;
  /** The type of all weights. Default: each as the base model has it. */
  type?: FloatType;
  /** Replaces a folder that is there. Default: refuses. */
  overwrite?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: { tensor: string; done: number; total: number }) => void;
}

export interface MergedModel {
  readonly directory: string;
  readonly tensors: number;
  /** Matrices that the adapter changed. */
  readonly merged: number;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** One tensor to write: from where, with what added, as which type. */
interface PlannedTensor {
  readonly name: string;
  readonly file: string;
  readonly entry: TensorEntry;
  readonly dtype: string;
  readonly byteLength: number;
  readonly module: string | undefined;
}

/** Numbers in memory at once: 16 MB as singles, whatever the size of the model. */
const BLOCK_NUMBERS = 4 * 1024 * 1024;
const EMBEDDING = 'model.embed_tokens';
const HEAD = 'lm_head';

/**
 * Adds an adapter to its base model, W + scale · B · A, and writes a whole model that needs no adapter. The sum is made
 * in double precision and rounded once. Tensors pass through one after another; the folder is there whole or not at all.
 */
export async function mergeAdapter(options: MergeAdapterOptions): Promise<MergedModel> {
  const { base, overwrite = false, signal, onProgress } = options;
  const destination = path.resolve(options.destination);
  if (overwrite) await recoverReplaced(destination);
  else await checkDestination(destination);
  await using pairs = await openLoraPairs(options.adapter);
  const weights = await openBaseWeights(base);
  const plan = planTensors({ weights, pairs, type: options.type });
  await mkdir(path.dirname(destination), { recursive: true });
  const folder = await mkdtemp(`${destination}.merge-`);
  try {
    const isUntied = await copyFiles({ base, folder, plan, weights, type: options.type });
    let done = 0;
    let bytes = 0;
    for (const { name } of weights.files) {
      const own = plan.filter(({ file }) => file === name);
      bytes += await writeFileOf({
        folder,
        base,
        name,
        own,
        weights,
        pairs,
        signal,
        onTensor: (tensor) => {
          done += 1;
          onProgress?.({ tensor, done, total: plan.length });
        },
      });
    }
    await putInPlace({ folder, destination, overwrite });
    const untied = isUntied ? ['the head was tied to the embedding; it is a matrix of its own now'] : [];
    return {
      directory: destination,
      tensors: plan.length,
      merged: plan.filter(({ module }) => module !== undefined).length,
      bytes,
      warnings: [...pairs.warnings, ...untied],
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (signal?.aborted === true && !WeightsError.isInstance(error)) {
      throw new WeightsError({ reason: 'abandoned', message: 'The merge was abandoned by its caller.', cause: error });
    }
    throw error;
  }
}

function planTensors(options: {
  weights: BaseWeights;
  pairs: LoraPairs;
  type: FloatType | undefined;
}): PlannedTensor[] {
  const { weights, pairs, type } = options;
  const plan = (name: string, file: string, entry: TensorEntry, module: string | undefined): PlannedTensor => {
    if (module !== undefined && !isFloatType(entry.dtype)) {
      throw bad(`has ${name} as ${entry.dtype}; merge into the model before it was quantised`);
    }
    const dtype = type !== undefined && isFloatType(entry.dtype) ? type : entry.dtype;
    const numbers = entry.shape.reduce((product, size) => product * size, 1);
    const byteLength = isFloatType(dtype) ? numbers * bytesOf(dtype) : entry.byteLength;
    return { name, file, entry, dtype, byteLength, module };
  };
  const open = new Set(pairs.modules);
  const planned = weights.files.flatMap(({ name: file, header }) =>
    [...header.tensors]
      .sort(([, left], [, right]) => left.byteOffset - right.byteOffset)
      .map(([name, entry]) => {
        const module = name.endsWith('.weight') ? name.slice(0, -'.weight'.length) : name;
        return plan(name, file, entry, open.delete(module) ? module : undefined);
      }),
  );
  // A head that is tied to the embedding is not in the file. What changes one of the two parts them.
  const embedding = planned.find(({ name }) => name === `${EMBEDDING}.weight`);
  const isTied = embedding !== undefined && weights.find(`${HEAD}.weight`) === undefined;
  const changesHead = open.delete(HEAD);
  if (changesHead && !isTied) throw missing([HEAD]);
  if (isTied && (changesHead || embedding.module !== undefined)) {
    planned.push(plan(`${HEAD}.weight`, embedding.file, embedding.entry, changesHead ? HEAD : undefined));
  }
  if (open.size > 0) throw missing([...open]);
  return planned;
}

/** Everything but the weights goes along; the config says what became of them. */
async function copyFiles(options: {
  base: string;
  folder: string;
  plan: readonly PlannedTensor[];
  weights: BaseWeights;
  type: FloatType | undefined;
}): Promise<boolean> {
  const { base, folder, plan, weights, type } = options;
  for (const name of await readdir(base)) {
    if (!/\.(json|txt|model|jinja|md)$|^LICENSE/.test(name) || name === INDEX_FILE || name === 'config.json') continue;
    if ((await stat(path.join(base, name))).isFile()) await copyFile(path.join(base, name), path.join(folder, name));
  }
  const config = JSON.parse(await readFile(path.join(base, 'config.json'), 'utf8')) as Record<string, unknown>;
  const isUntied = weights.find(`${HEAD}.weight`) === undefined && plan.some(({ name }) => name === `${HEAD}.weight`);
  const typeName = type === undefined ? undefined : { BF16: 'bfloat16', F16: 'float16', F32: 'float32' }[type];
  // transformers 5 calls it dtype, the versions before torch_dtype; the name that is there stays.
  const typeKey = 'dtype' in config ? 'dtype' : 'torch_dtype';
  const changed = {
    ...config,
    ...(isUntied ? { tie_word_embeddings: false } : {}),
    ...(typeName === undefined ? {} : { [typeKey]: typeName }),
  };
  await writeFile(path.join(folder, 'config.json'), `${JSON.stringify(changed, null, 2)}\n`);
  if (weights.hasIndex) {
    const total = plan.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const map = Object.fromEntries(plan.map(({ name, file }) => [name, file]));
    const index = { metadata: { total_size: total }, weight_map: map };
    await writeFile(path.join(folder, INDEX_FILE), `${JSON.stringify(index, null, 2)}\n`);
  }
  return isUntied;
}

async function writeFileOf(options: {
  folder: string;
  base: string;
  name: string;
  own: readonly PlannedTensor[];
  weights: BaseWeights;
  pairs: LoraPairs;
  signal: AbortSignal | undefined;
  onTensor: (name: string) => void;
}): Promise<number> {
  const { folder, base, name, own, weights, pairs, signal, onTensor } = options;
  await using source = await open(path.join(base, name), 'r');
  await using target = await open(path.join(folder, name), 'w');
  const metadata = weights.files.find((file) => file.name === name)?.header.metadata ?? {};
  const header = formatHeader(own, { format: 'pt', ...metadata });
  await target.write(header);
  let position = header.byteLength;
  for (const tensor of own) {
    signal?.throwIfAborted();
    const delta = tensor.module === undefined ? undefined : await pairs.read(tensor.module);
    if (delta !== undefined) checkShape(tensor, delta);
    for await (const bytes of convert({ source, tensor, delta, signal })) {
      await target.write(bytes, 0, bytes.byteLength, position);
      position += bytes.byteLength;
    }
    onTensor(tensor.name);
  }
  await target.sync();
  return position;
}

/** The header, padded with blanks so that the tensors begin at a multiple of eight. */
function formatHeader(own: readonly PlannedTensor[], metadata: Readonly<Record<string, string>>): Uint8Array {
  const entries: Record<string, unknown> = { __metadata__: metadata };
  let offset = 0;
  for (const { name, dtype, entry, byteLength } of own) {
    entries[name] = { dtype, shape: entry.shape, data_offsets: [offset, offset + byteLength] };
    offset += byteLength;
  }
  const text = JSON.stringify(entries);
  const plain = new TextEncoder().encode(text);
  const padded = Math.ceil(plain.byteLength / 8) * 8;
  const header = new Uint8Array(8 + padded).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(padded), true);
  header.set(plain, 8);
  return header;
}

async function* convert(options: {
  source: FileHandle;
  tensor: PlannedTensor;
  delta: LoraDelta | undefined;
  signal: AbortSignal | undefined;
}): AsyncGenerator<Uint8Array> {
  const { source, tensor, delta, signal } = options;
  const { dtype, byteOffset, byteLength } = tensor.entry;
  const size = isFloatType(dtype) ? bytesOf(dtype) : 1;
  const columns = delta?.columns ?? 1;
  // Whole rows, so that a block is a stretch of the product too.
  const blockBytes = Math.max(1, Math.floor(BLOCK_NUMBERS / columns)) * columns * size;
  for (let start = 0; start < byteLength; start += blockBytes) {
    signal?.throwIfAborted();
    const bytes = new Uint8Array(Math.min(blockBytes, byteLength - start));
    const { bytesRead } = await source.read(bytes, 0, bytes.byteLength, byteOffset + start);
    if (bytesRead !== bytes.byteLength) throw bad(`ends within ${tensor.name}`);
    if (!isFloatType(dtype) || !isFloatType(tensor.dtype) || (delta === undefined && tensor.dtype === dtype))
      yield bytes;
    else {
      const numbers = readFloats(bytes, dtype);
      if (delta !== undefined) addDelta(numbers, delta, start / size / columns);
      yield writeFloats(numbers, tensor.dtype);
    }
  }
}

/** Adds the rows of the product that belong to a block. */
function addDelta(numbers: Float32Array, delta: LoraDelta, firstRow: number): void {
  const { left, right, columns, rank, scale } = delta;
  const sum = new Float64Array(columns);
  for (let row = 0; row * columns < numbers.length; row++) {
    sum.fill(0);
    for (let k = 0; k < rank; k++) {
      const factor = scale * left[(firstRow + row) * rank + k]!;
      if (factor === 0) continue;
      const at = k * columns;
      for (let column = 0; column < columns; column++) sum[column] = sum[column]! + factor * right[at + column]!;
    }
    const at = row * columns;
    for (let column = 0; column < columns; column++) numbers[at + column] = numbers[at + column]! + sum[column]!;
  }
}

function checkShape({ name, entry: { shape } }: PlannedTensor, { rows, columns }: LoraDelta): void {
  if (shape.length === 2 && shape[0] === rows && shape[1] === columns) return;
  const message = `The adapter was not made for this base model: ${name} is ${shape.join(' × ')}, and what it adds ${rows} × ${columns}.`;
  throw new WeightsError({ reason: 'bad-adapter', message });
}

const missing = (modules: readonly string[]): WeightsError =>
  new WeightsError({
    reason: 'bad-adapter',
    message:
      `The adapter was not made for this base model: it has no ${modules.slice(0, 3).join(', ')}` +
      `${modules.length > 3 ? ` and ${modules.length - 3} more` : ''}.`,
  });

const bad = (what: string): WeightsError =>
  new WeightsError({ reason: 'bad-safetensors', message: `The base model ${what}.` });
