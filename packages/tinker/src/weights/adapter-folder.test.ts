import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { checkAdapter } from './check-adapter.ts';
import { completeAdapterConfig } from './complete-adapter-config.ts';
import { finishAdapterFolder } from './finish-adapter-folder.ts';
import { engineConfig, makeAdapterTensors, makeSafetensors, matrix } from './make-archive.fixture.ts';
import type { TestTensor } from './make-archive.fixture.ts';
import { parseSafetensorsHeader } from './merge/safetensors-header.ts';
import { makeTemporaryFolder } from './test-server.fixture.ts';

function factsOf(tensors: Record<string, TestTensor>) {
  const file = makeSafetensors(tensors);
  const length = Number(file.readBigUInt64LE());
  return checkAdapter(parseSafetensorsHeader({ header: file.subarray(8, 8 + length), fileBytes: file.byteLength }));
}

const pair = (module: string, rank = 2) => ({
  [`${module}.lora_A.weight`]: matrix(rank, 8),
  [`${module}.lora_B.weight`]: matrix(4, rank),
});
const q = 'base_model.model.model.layers.0.self_attn.q_proj';

test('target modules are filled in from the names of the tensors', async () => {
  await using folder = await makeTemporaryFolder();
  const all = [
    'self_attn.q_proj',
    'self_attn.k_proj',
    'self_attn.v_proj',
    'self_attn.o_proj',
    'mlp.gate_proj',
    'mlp.up_proj',
    'mlp.down_proj',
  ];
  await writeFile(folder.at('adapter_model.safetensors'), makeAdapterTensors(all));
  await writeFile(folder.at('adapter_config.json'), engineConfig);
  const { rank, targetModules, header, warnings } = await finishAdapterFolder({
    directory: folder.path,
    baseModel: 'Qwen/Qwen3',
  });
  const modules = ['down_proj', 'gate_proj', 'k_proj', 'o_proj', 'q_proj', 'up_proj', 'v_proj'];
  expect([rank, targetModules, header.tensors.size, warnings]).toEqual([2, modules, 28, []]);
  expect(JSON.parse(await readFile(folder.at('adapter_config.json'), 'utf8'))).toEqual({
    peft_type: 'LORA',
    base_model_name_or_path: 'Qwen/Qwen3',
    r: 2,
    lora_alpha: 32,
    target_modules: modules,
  });
});

test('target modules that are there stay, and what they leave out is said', () => {
  const facts = factsOf({ ...pair(q), ...pair(q.replace('q_proj', 'k_proj')) });
  const complete = (given: unknown) =>
    completeAdapterConfig({ text: JSON.stringify({ r: 2, target_modules: given }), facts });
  expect(complete('all-linear').config['target_modules']).toBe('all-linear');
  expect(complete([]).config['target_modules']).toEqual(['k_proj', 'q_proj']);
  const partial = complete(['self_attn.q_proj']);
  expect(partial.config['target_modules']).toEqual(['self_attn.q_proj']);
  expect(partial.warnings).toEqual(['target_modules does not name k_proj; PEFT leaves them out']);
});

test('the rank is filled in, and one that contradicts the tensors is refused', () => {
  const facts = factsOf({ ...pair(q), ...pair(`${q}x`), ...pair(`${q}y`, 4) });
  expect(() => completeAdapterConfig({ text: '{"r":2}', facts })).toThrow(/says rank 2, where .*q_projy has 4/);
  expect(completeAdapterConfig({ text: '{"r":2,"rank_pattern":{"q_projy":4}}', facts }).rank).toBe(2);
  expect(completeAdapterConfig({ text: '{}', facts: factsOf(pair(q)) }).config).toMatchObject({
    r: 2,
    peft_type: 'LORA',
  });
  for (const text of ['{', '[]', '{"peft_type":"IA3"}', '{"r":"2"}']) {
    expect(() => completeAdapterConfig({ text, facts: factsOf(pair(q)) })).toThrow(/adapter_config.json/);
  }
});

test('pairs that do not belong together are refused', () => {
  expect(() => factsOf({})).toThrow(/no LoRA tensors/);
  expect(() => factsOf({ [`${q}.lora_A.weight`]: matrix(2, 8) })).toThrow(/one of its two matrices missing/);
  expect(() => factsOf({ ...pair(q), [`${q}.lora_B.weight`]: matrix(4, 3) })).toThrow(/ranks 2 and 3/);
  const cube = { dtype: 'U8', shape: [1, 1, 1], data: new Uint8Array(1) };
  expect(() => factsOf({ ...pair(q), [`${q}.lora_A.weight`]: cube })).toThrow(/two-dimensional/);
});

test('names that PEFT would pass over are said', () => {
  const embedding = 'base_model.model.model.embed_tokens';
  const facts = factsOf({
    ...pair('model.layers.0.q_proj'),
    ...pair('base_model.model.blocks.to_out.0'),
    'base_model.model.lm_head.weight': matrix(1, 1),
    [`${embedding}.lora_A.weight`]: matrix(50, 2),
    [`${embedding}.lora_B.weight`]: matrix(2, 8),
  });
  expect(facts.targetModules).toEqual(['embed_tokens', 'q_proj', 'to_out.0']);
  expect(facts.ranks.get(embedding)).toBe(2);
  expect(facts.warnings).toHaveLength(3);
  const asPeft = factsOf({
    [`${embedding}.lora_embedding_A`]: matrix(2, 50),
    [`${embedding}.lora_embedding_B`]: matrix(8, 2),
  });
  expect([asPeft.targetModules, asPeft.warnings]).toEqual([['embed_tokens'], []]);
});
