import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bytesOf, readFloats, writeFloats, type FloatType } from './float-formats.ts';
import { makeSafetensors, type TestTensor } from '../make-archive.fixture.ts';
import { mergeAdapter } from './merge-adapter.ts';
import { readSafetensorsHeader } from './safetensors-header.ts';
import { makeTemporaryFolder } from '../test-server.fixture.ts';
import { WeightsError } from '../weights-error.ts';

const numbers = (rows: number, columns: number, seed: number): Float32Array =>
  Float32Array.from({ length: rows * columns }, (_, at) => Math.sin((at + 1) * (seed + 1.7)));

const tensor = (rows: number, columns: number, seed: number, dtype: FloatType = 'F32'): TestTensor => ({
  dtype,
  shape: [rows, columns],
  data: writeFloats(numbers(rows, columns, seed), dtype),
});

const PEFT = 'base_model.model.';
const Q = 'model.layers.0.self_attn.q_proj';
const EMBEDDING = 'model.embed_tokens';

interface Given {
  dtype?: FloatType;
  base?: Record<string, TestTensor>;
  adapter?: Record<string, TestTensor>;
  config?: object;
}

async function prepare(folder: { path: string; at: (name: string) => string }, given: Given = {}) {
  const { dtype = 'F32', config = {} } = given;
  const base = given.base ?? {
    [`${EMBEDDING}.weight`]: tensor(6, 4, 1, dtype),
    [`${Q}.weight`]: tensor(5, 4, 2, dtype),
    'model.norm.weight': { dtype, shape: [4], data: writeFloats(numbers(1, 4, 3), dtype) },
    'model.steps': { dtype: 'I32', shape: [1], data: new Uint8Array([7, 0, 0, 0]) },
  };
  const adapter = given.adapter ?? {
    [`${PEFT}${Q}.lora_A.weight`]: tensor(2, 4, 4),
    [`${PEFT}${Q}.lora_B.weight`]: tensor(5, 2, 5),
  };
  for (const name of ['base', 'adapter']) await mkdir(folder.at(name));
  await writeFile(folder.at('base/model.safetensors'), makeSafetensors(base));
  await writeFile(folder.at('base/config.json'), JSON.stringify({ torch_dtype: 'float32', tie_word_embeddings: true }));
  await writeFile(folder.at('base/tokenizer.json'), '{}');
  await writeFile(folder.at('adapter/adapter_model.safetensors'), makeSafetensors(adapter));
  const own = { peft_type: 'LORA', r: 2, lora_alpha: 32, ...config };
  await writeFile(folder.at('adapter/adapter_config.json'), JSON.stringify(own));
  return { adapter: folder.at('adapter'), base: folder.at('base'), destination: folder.at('merged') };
}

async function readTensor(file: string, name: string): Promise<number[]> {
  const { tensors } = await readSafetensorsHeader(file);
  const { dtype, byteOffset, byteLength } = tensors.get(name)!;
  const bytes = (await readFile(file)).subarray(byteOffset, byteOffset + byteLength);
  return [...readFloats(bytes, dtype as FloatType)];
}

/** W + scale · B · A, as it is written in the paper. */
function sum(
  w: Float32Array,
  options: { left: Float32Array; right: Float32Array; columns: number; scale: number },
): number[] {
  const { left, right, columns, scale } = options;
  return Array.from(w, (value, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    let product = 0;
    for (let k = 0; k < 2; k++) product += left[row * 2 + k]! * right[k * columns + column]!;
    return Math.fround(value + scale * product);
  });
}

const close = (found: readonly number[], wanted: readonly number[], tolerance: number): boolean =>
  found.length === wanted.length &&
  found.every((value, at) => Math.abs(value - wanted[at]!) <= tolerance * Math.max(1, Math.abs(wanted[at]!)));

test.each([
  ['F32', 1e-6],
  ['F16', 2 ** -11],
  ['BF16', 2 ** -8],
] as const)('adds scale · B · A to a base in %s, and leaves the rest as it is', async (dtype, tolerance) => {
  await using folder = await makeTemporaryFolder();
  const options = await prepare(folder, { dtype });
  const seen: string[] = [];
  const made = await mergeAdapter({
    ...options,
    onProgress: ({ tensor: name, done, total }) => seen.push(`${done}/${total} ${name}`),
  });
  expect(made).toMatchObject({ tensors: 4, merged: 1, warnings: [] });
  expect(seen.at(-1)).toBe('4/4 model.steps');
  const file = folder.at('merged/model.safetensors');
  const w = readFloats(writeFloats(numbers(5, 4, 2), dtype), dtype);
  const wanted = sum(w, { left: numbers(5, 2, 5), right: numbers(2, 4, 4), columns: 4, scale: 16 });
  expect(close(await readTensor(file, `${Q}.weight`), wanted, tolerance)).toBe(true);
  const embedding = writeFloats(numbers(6, 4, 1), dtype);
  expect(await readTensor(file, `${EMBEDDING}.weight`)).toEqual([...readFloats(embedding, dtype)]);
  expect((await readSafetensorsHeader(file)).tensors.get('model.steps')).toMatchObject({ dtype: 'I32', byteLength: 4 });
  expect((await readdir(folder.at('merged'))).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  expect((await readdir(folder.path)).sort()).toEqual(['adapter', 'base', 'merged']);
});

test('writes the type that was asked for, and says so in the config', async () => {
  await using folder = await makeTemporaryFolder();
  await mergeAdapter({ ...(await prepare(folder)), type: 'BF16' });
  const { tensors } = await readSafetensorsHeader(folder.at('merged/model.safetensors'));
  expect([...tensors.values()].map(({ dtype }) => dtype)).toEqual(['BF16', 'BF16', 'BF16', 'I32']);
  expect(tensors.get(`${Q}.weight`)!.byteLength).toBe(20 * bytesOf('BF16'));
  expect(JSON.parse(await readFile(folder.at('merged/config.json'), 'utf8'))).toMatchObject({
    torch_dtype: 'bfloat16',
  });
});

test('goes by √rank and by the α of single modules where the config says so', async () => {
  await using folder = await makeTemporaryFolder();
  const config = { use_rslora: true, alpha_pattern: { q_proj: 8 } };
  await mergeAdapter(await prepare(folder, { config }));
  const scale = 8 / Math.sqrt(2);
  const wanted = sum(numbers(5, 4, 2), { left: numbers(5, 2, 5), right: numbers(2, 4, 4), columns: 4, scale });
  expect(close(await readTensor(folder.at('merged/model.safetensors'), `${Q}.weight`), wanted, 1e-6)).toBe(true);
});

test('parts a tied head from its embedding when one of them changes', async () => {
  await using folder = await makeTemporaryFolder();
  const adapter = {
    [`${PEFT}lm_head.lora_A.weight`]: tensor(2, 4, 4),
    [`${PEFT}lm_head.lora_B.weight`]: tensor(6, 2, 5),
  };
  const made = await mergeAdapter(await prepare(folder, { adapter }));
  expect(made.warnings).toEqual(['the head was tied to the embedding; it is a matrix of its own now']);
  const file = folder.at('merged/model.safetensors');
  const wanted = sum(numbers(6, 4, 1), { left: numbers(6, 2, 5), right: numbers(2, 4, 4), columns: 4, scale: 16 });
  expect(close(await readTensor(file, 'lm_head.weight'), wanted, 1e-6)).toBe(true);
  expect(await readTensor(file, `${EMBEDDING}.weight`)).toEqual([...numbers(6, 4, 1)]);
  expect(JSON.parse(await readFile(folder.at('merged/config.json'), 'utf8'))).toMatchObject({
    tie_word_embeddings: false,
  });
});

test('reads an embedding the way PEFT keeps it', async () => {
  await using folder = await makeTemporaryFolder();
  const adapter = {
    [`${PEFT}${EMBEDDING}.lora_embedding_A`]: tensor(2, 6, 4),
    [`${PEFT}${EMBEDDING}.lora_embedding_B`]: tensor(4, 2, 5),
  };
  await mergeAdapter(await prepare(folder, { adapter }));
  const [a, b] = [numbers(2, 6, 4), numbers(4, 2, 5)];
  const wanted = [...numbers(6, 4, 1)].map((value, at) => {
    const [row, column] = [Math.floor(at / 4), at % 4];
    return Math.fround(value + 16 * (a[row]! * b[column * 2]! + a[6 + row]! * b[column * 2 + 1]!));
  });
  expect(close(await readTensor(folder.at('merged/model.safetensors'), `${EMBEDDING}.weight`), wanted, 1e-6)).toBe(
    true,
  );
});

test('goes through the parts of a base in several files', async () => {
  await using folder = await makeTemporaryFolder();
  const options = await prepare(folder);
  await writeFile(folder.at('base/b.safetensors'), makeSafetensors({ 'model.more.weight': tensor(2, 2, 9) }));
  const map = { [`${Q}.weight`]: 'model.safetensors', 'model.more.weight': 'b.safetensors' };
  await writeFile(folder.at('base/model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
  expect(await mergeAdapter(options)).toMatchObject({ tensors: 5, merged: 1 });
  const index = JSON.parse(await readFile(folder.at('merged/model.safetensors.index.json'), 'utf8')) as {
    weight_map: Record<string, string>;
  };
  expect(index.weight_map['model.more.weight']).toBe('b.safetensors');
  expect(await readTensor(folder.at('merged/b.safetensors'), 'model.more.weight')).toEqual([...numbers(2, 2, 9)]);
});

test('refuses an adapter of another model, a variant it cannot add, and a folder that is there', async () => {
  await using folder = await makeTemporaryFolder();
  const options = await prepare(folder, {
    adapter: { [`${PEFT}${Q}.lora_A.weight`]: tensor(2, 9, 4), [`${PEFT}${Q}.lora_B.weight`]: tensor(5, 2, 5) },
  });
  await expect(mergeAdapter(options)).rejects.toThrow('is 5 × 4, and what it adds 5 × 9');
  expect((await readdir(folder.path)).sort()).toEqual(['adapter', 'base']);
  await mkdir(folder.at('merged'));
  await expect(mergeAdapter(options)).rejects.toSatisfy(
    (error) => WeightsError.isInstance(error) && error.reason === 'exists',
  );
  await using other = await makeTemporaryFolder();
  await expect(mergeAdapter(await prepare(other, { config: { use_dora: true } }))).rejects.toThrow('use_dora');
  await using third = await makeTemporaryFolder();
  const strange = {
    [`${PEFT}model.x.lora_A.weight`]: tensor(2, 4, 4),
    [`${PEFT}model.x.lora_B.weight`]: tensor(5, 2, 5),
  };
  await expect(mergeAdapter(await prepare(third, { adapter: strange }))).rejects.toThrow('it has no model.x');
});
