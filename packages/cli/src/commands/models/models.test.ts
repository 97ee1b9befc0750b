import { makeConversation } from '@lachesis/protocol';
import { createDatasetVersion, openHome, registerModel } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
const home = await mkdtemp(join(tmpdir(), 'lachesis-models-'));

/** What a person sees, and the code it ends with. */
function type(...words: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = { ...process.env, LACHESIS_HOME: home, LACHESIS_AUTHOR: 'ada', DATABASE_URL: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=lachesis-source', main, ...words], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

beforeAll(async () => {
  const { store, blobs } = await openHome({ home });
  const scope = { store, tenantId: 'local' };
  const messages = [
    { role: 'user' as const, content: 'q' },
    { role: 'assistant' as const, content: 'a' },
  ];
  const set = await createDatasetVersion({
    ...{
      ...scope,
      blobs,
      name: 'chats',
      isHeldOut: false,
      recipe: {},
    },
    rows: [makeConversation({ id: '1', messages })],
  });
  const common = { ...scope, name: 'support', baseModel: 'tiny', method: 'sft' as const, run: 'r' };
  const dataset = { name: 'chats', version: 1, digest: set.content_digest };
  await registerModel({
    ...common,
    step: 5,
    weightsPath: 'tinker://m/sampler_weights/5',
    dataset,
    config: { lr: 0.1 },
  });
  await registerModel({ ...common, step: 9, weightsPath: 'tinker://m/sampler_weights/9', parent: 'support@1' });
  await store.close();
});

afterAll(() => rm(home, { recursive: true, force: true }));

test('models are listed, promoted, taken back and shown', async () => {
  expect((await type('models', 'promote', 'support@1', '--reason', 'first')).out).toContain(
    'support serves support@1 (change 1)',
  );
  expect((await type('models', 'promote', 'support')).out).toContain('support serves support@2 (change 2)');
  const list = (await type('models', 'list')).out;
  expect(list).toContain('* support@2');
  expect(list).toContain('  support@1  sft');
  expect((await type('models', 'rollback', 'support', '--json')).out).toContain('"kind":"rolled-back","version":1');
  const { out } = await type('models', 'show', 'support@1');
  expect(out).toContain('support@1  (promoted)');
  expect(out).toContain('chats@1');
  expect(out).toContain('by ada: first');
  const again = await type('models', 'rollback', 'support');
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('served nothing before')]);
}, 60_000);

test('lineage is told both ways, by name', async () => {
  const { out } = await type('lineage', 'model:support@1');
  expect(out).toContain('made from: 2\n');
  expect(out).toContain('dataset:chats@1');
  expect(out).toContain('model:support@2');
  const nothing = await type('lineage', 'modle:support');
  expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('Did you mean model:…?')]);
}, 60_000);

test('what is missing is said with what to do', async () => {
  expect((await type('models', 'show', 'other')).err).toContain('`lachesis models list` shows them');
  expect((await type('models', 'export', 'support@1', '--to', 'torch')).err).toContain(
    '--to vllm, --to sglang, --to ollama, --to llamacpp',
  );
  expect((await type('models', 'export', 'support@1', '--to', 'vllm')).err).toContain('--base-folder');
  expect((await type('models', 'compare', 'support@1', 'support@2')).err).toContain('--environment name, or --dataset');
}, 60_000);
