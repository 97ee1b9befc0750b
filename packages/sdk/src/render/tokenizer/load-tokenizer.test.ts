import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RenderError } from '../errors/render-error.ts';
import { CHATML, type TinyModel, createTinyModel } from '../testing/tiny-model.fixture.ts';
import { loadTokenizer } from './load-tokenizer.ts';
import { probeNativeTokenizers } from './probe-native.ts';

const models: TinyModel[] = [];

afterEach(async () => {
  for (const model of models.splice(0)) await model.remove();
});

async function makeModel(options?: Parameters<typeof createTinyModel>[0]): Promise<string> {
  const model = await createTinyModel(options);
  models.push(model);
  return model.directory;
}

test('a folder gives tokens, text and special tokens', async () => {
  const tokenizer = await loadTokenizer({ directory: await makeModel() });
  const tokens = await tokenizer.encode('héllo<|im_end|>');
  expect([...tokens.subarray(-1)]).toEqual([257]);
  expect(tokens).toHaveLength(7);
  expect(await tokenizer.decode(tokens)).toBe('héllo<|im_end|>');
  expect(await tokenizer.decode(tokens, { skipSpecialTokens: true })).toBe('héllo');
  expect(Object.fromEntries(tokenizer.specialTokens)).toEqual({ eos_token: '<|im_end|>', pad_token: '<|endoftext|>' });
  expect([tokenizer.vocabularySize, [...tokenizer.stopTokens], tokenizer.family.name]).toEqual([
    263,
    [257, 258],
    'chatml',
  ]);
});

test('text stays text when asked', async () => {
  const tokenizer = await loadTokenizer({ directory: await makeModel() });
  expect(await tokenizer.encodeAsText('<|im_end|><think>')).toHaveLength('<|im_end|><think>'.length);
});

test('tokens that only the configuration knows are added', async () => {
  const config = {
    chat_template: CHATML,
    added_tokens_decoder: { 263: { content: '<|extra|>', special: true } },
  };
  const tokenizer = await loadTokenizer({
    directory: await makeModel({ files: { 'tokenizer_config.json': JSON.stringify(config) } }),
  });
  expect([...(await tokenizer.encode('<|extra|>'))]).toEqual([263]);
});

test('a template file wins over the configuration, and templates have names', async () => {
  const named = [
    { name: 'default', template: 'D' },
    { name: 'tool_use', template: 'T' },
    { name: 'rag', template: 'R' },
  ];
  const tokenizer = await loadTokenizer({ directory: await makeModel({ template: named }) });
  const read = (name: string | undefined, hasTools: boolean): string =>
    tokenizer.readTemplate({ name, hasTools }).source;
  expect([read(undefined, false), read(undefined, true), read('rag', true)]).toEqual(['D', 'T', 'R']);
  expect(() => read('nope', false)).toThrow(/no chat template named nope; it has: default, tool_use, rag/);

  const own = await loadTokenizer({ directory: await makeModel({ files: { 'chat_template.jinja': 'F' } }) });
  expect(own.readTemplate({ hasTools: false }).source).toBe('F');
});

test('a model in the hub cache is found by its name', async () => {
  const cache = await makeModel();
  const folder = join(cache, 'models--owner--name');
  await mkdir(join(folder, 'refs'), { recursive: true });
  await mkdir(join(folder, 'snapshots'), { recursive: true });
  await rename(await makeModel(), join(folder, 'snapshots', 'abc'));
  await writeFile(join(folder, 'refs', 'main'), 'abc\n');
  const env = { HF_HUB_CACHE: cache };
  const tokenizer = await loadTokenizer({ hubCache: { repository: 'owner/name' }, env });
  expect(tokenizer.place.endsWith(join('snapshots', 'abc'))).toBe(true);
  await expect(loadTokenizer({ hubCache: { repository: 'owner/other' }, env })).rejects.toThrow(/no tokenizer.json/);
});

test('a model is read from an address', async () => {
  const directory = await makeModel();
  const asked: string[] = [];
  const serve = async (url: URL | Request | string): Promise<Response> => {
    const name = (url instanceof Request ? url.url : url.toString()).split('/').at(-1) ?? '';
    asked.push(name);
    if (name === 'special_tokens_map.json' || name === 'chat_template.jinja') return new Response('', { status: 404 });
    return new Response(await readFile(join(directory, name)));
  };
  const tokenizer = await loadTokenizer({ url: 'http://127.0.0.1:9/model', fetch: serve });
  expect(await tokenizer.encode('ab')).toHaveLength(2);
  expect(asked.sort()).toEqual([
    'chat_template.jinja',
    'special_tokens_map.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
  const refuse = async (): Promise<Response> => new Response('', { status: 503 });
  await expect(loadTokenizer({ url: 'http://127.0.0.1:9/model', fetch: refuse })).rejects.toThrow(/status 503/);
});

test('without the native package the error says what to install', async () => {
  const error: unknown = await loadTokenizer({
    directory: 'nowhere',
    importTokenizers: () => Promise.reject(new Error('Cannot find package')),
  }).catch((thrown: unknown) => thrown);
  expect(RenderError.isInstance(error) && [error.kind, error.message.includes('npm install tokenizers@')]).toEqual([
    'no-tokenizers-package',
    true,
  ]);
});

test('a broken file is named', async () => {
  const directory = await makeModel({ files: { 'tokenizer.json': '{"model": {}}' } });
  await expect(loadTokenizer({ directory })).rejects.toThrow(/tokenizer.json in .* cannot be used/);
  await expect(
    loadTokenizer({ directory: await makeModel({ files: { 'tokenizer_config.json': '{' } }) }),
  ).rejects.toThrow(/tokenizer_config.json in .* cannot be read/);
});

test('the native package can be tried without a model', async () => {
  await expect(probeNativeTokenizers()).resolves.toBeUndefined();
  await expect(
    probeNativeTokenizers({ importTokenizers: () => Promise.reject(new Error('no binary')) }),
  ).rejects.toThrow(/tokenizers is not installed/);
});
