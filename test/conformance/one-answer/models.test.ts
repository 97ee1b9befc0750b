import { makeConversation } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { readControlSettings } from '@lachesis/server';
import { createLog } from '@lachesis/server/processes';
import { buildControl } from '../../../packages/server/src/control/build.ts';
import { createDatasetVersion, createToken, openHome, registerModel } from '@lachesis/store';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeByteModel } from '../../../packages/server/src/services/models/byte-model.fixture.ts';
import { FakeServer } from '../../../packages/tinker/src/testing/fake-server.fixture.ts';
import { makeEngineArchive } from '../../../packages/tinker/src/weights/make-archive.fixture.ts';

const main = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'lachesis-both-ways-'));
const [home, twin, empty] = [join(folder, 'home'), join(folder, 'twin'), join(folder, 'empty')];
let engine: FakeServer;
let archive: Server;
let base: Awaited<ReturnType<typeof writeByteModel>>;
let control: Awaited<ReturnType<typeof buildControl>>;
let url = '';
let token = '';

function type(env: Record<string, string>, ...words: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const inherited = { ...process.env, DATABASE_URL: undefined, TINKER_BASE_URL: undefined, TINKER_API_KEY: undefined };
  return new Promise((resolve) => {
    const argv = ['--conditions=lachesis-source', main, ...words];
    execFile(process.execPath, argv, { cwd: folder, env: { ...inherited, ...env } }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

/** With the engine at hand and the store here; and with nothing here but an address and a token. */
const atHome = (...words: string[]) => type({ LACHESIS_HOME: home, TINKER_BASE_URL: engine.url }, ...words);
const overServer = (...words: string[]) =>
  type({ LACHESIS_HOME: empty, LACHESIS_URL: url, LACHESIS_TOKEN: token }, ...words);

beforeAll(async () => {
  base = await writeByteModel();
  engine = await FakeServer.start();
  engine.models.set('m', {
    ...{ id: 'm', sessionId: 's', weight: 0, gradient: 0, sequences: 0, nextSeqId: 1, failedSeqId: undefined },
    ...{ applied: [], loadedSampler: undefined },
    checkpoints: new Map([
      ['sampler_weights/5', 0.1],
      ['sampler_weights/9', 0.4],
    ]),
  });
  archive = createServer((_, response) => response.end(makeEngineArchive()));
  await new Promise<void>((resolve) => archive.listen(0, '127.0.0.1', resolve));
  const location = `http://127.0.0.1:${(archive.address() as AddressInfo).port}/a.tar.gz`;
  engine.fault = ({ path }) =>
    path.endsWith('/archive') ? { kind: 'status', status: 302, headers: { location } } : undefined;
  const { store, blobs } = await openHome({ home });
  const scope = { store, tenantId: 'local' };
  const ask = (id: string, content: string) =>
    makeConversation({
      id,
      messages: [
        { role: 'user', content: `q${id}` },
        { role: 'assistant', content },
      ],
    });
  const rows = [ask('1', 'yes'), ask('2', 'no'), ask('3', 'perhaps')];
  await createDatasetVersion({ ...scope, blobs, name: 'chats', isHeldOut: false, recipe: {}, rows });
  // The engine counts on from the last token up to the one that ends a turn.
  const tokens = { token_ids: [65, 66, 96, 97, 257], mask: [0, 0, 0, 1, 1] as (0 | 1)[], logprobs: null };
  const disliked = rows.map((row, index) => ({ ...row, rating: 0, tokens: index === 2 ? null : tokens }));
  await createDatasetVersion({ ...scope, blobs, name: 'rated', isHeldOut: false, recipe: {}, rows: disliked });
  await createDatasetVersion({ ...scope, blobs, name: 'exam', isHeldOut: true, recipe: {}, rows: [ask('4', 'x')] });
  const common = { ...scope, name: 'support', baseModel: base.directory, method: 'sft' as const, run: 'r' };
  await registerModel({ ...common, step: 5, weightsPath: 'tinker://m/sampler_weights/5' });
  await registerModel({ ...common, step: 9, weightsPath: 'tinker://m/sampler_weights/9', parent: 'support@1' });
  ({ token } = await createToken({ store, tenantId: 'local', name: 'me', scopes: ['run:admin'] }));
  await store.close();
  await cp(home, twin, { recursive: true });
  await writeFile(join(folder, 'reward.mjs'), `export default async ({ answer }) => (answer.length % 7) / 7;\n`);
  const { values: settings } = readControlSettings({ home: twin, host: '127.0.0.1' }, {});
  const env = { TINKER_BASE_URL: engine.url };
  control = await buildControl({ settings, log: createLog({ name: 'control', level: 'fatal' }), env });
  url = await control.app.listen({ host: '127.0.0.1', port: 0 });
}, 60_000);

afterAll(async () => {
  await control.close();
  await engine.close();
  archive.close();
  await base.remove();
  await rm(folder, { recursive: true, force: true });
});

test('two models are compared on the engine of the server as on the one at hand, and the result is kept', async () => {
  const words = ['models', 'compare', 'support@1', 'support@2', '--dataset', 'chats', '--json'];
  const [mine, theirs] = [await atHome(...words), await overServer(...words)];
  expect([mine.code, mine.err]).toEqual([0, expect.stringContaining('the candidate: 3 held-out items')]);
  expect(theirs).toEqual(mine);
  expect(JSON.parse(mine.out)).toMatchObject({ on: 'data set chats@1', items: 3, difference: expect.closeTo(0.3, 5) });
  const [kept, alsoKept] = [await atHome('models', 'show', 'support'), await overServer('models', 'show', 'support')];
  expect(alsoKept.out).toContain('compare/data set chats@1');
  expect(kept.out).toContain('compare/data set chats@1');
}, 60_000);

test('a reward of the caller scores what the models of the server wrote', async () => {
  const words = ['models', 'compare', 'base', 'support', '--dataset', 'chats', '--reward', 'reward.mjs'];
  const more = ['--replies', '2', '--max-tokens', '8', '--limit', '2', '--no-record', '--json'];
  const [mine, theirs] = [await atHome(...words, ...more), await overServer(...words, ...more)];
  expect(theirs).toEqual(mine);
  expect(JSON.parse(mine.out)).toMatchObject({ items: 2, measure: 'what reward.mjs says of replies' });
}, 60_000);

test('disliked replies get a better one beside them from the engine of the server as from the one at hand', async () => {
  await writeFile(join(folder, 'long.mjs'), `export default async ({ answer }) => (answer.length > 20 ? 1 : 0);\n`);
  const words = ['data', 'reroll', 'pairs', '--from', 'rated', '--model', 'support', '--reward', 'long.mjs'];
  const toPlain = (text: string) => text.replaceAll(/"dataset_id":"[^"]+"|"created_at":\d+/g, '');
  const more = ['--max-tokens', '161', '--json'];
  const [mine, theirs] = [await atHome(...words, ...more), await overServer(...words, ...more)];
  expect({ ...theirs, out: toPlain(theirs.out) }).toEqual({ ...mine, out: toPlain(mine.out) });
  expect(JSON.parse(mine.out)).toMatchObject({
    dataset: { name: 'pairs', row_count: 2 },
    pairs: 2,
    skipped: { 'its tokens were not recorded, so nothing can go on from them': 1 },
  });
  for (const [name, says] of [
    ['exam', 'is held out'],
    ['nobody', 'There is no data set nobody'],
  ] as const) {
    const refused = ['data', 'reroll', 'pairs', '--from', name, '--reward', 'long.mjs'];
    const [here, there] = [await atHome(...refused), await overServer(...refused)];
    expect(there).toEqual(here);
    expect([here.code, here.err]).toEqual([1, expect.stringContaining(says)]);
  }
  const unknown = ['data', 'reroll', 'pairs', '--from', 'rated', '--reward', 'long.mjs', '--model', 'nobody'];
  const [here, there] = [await atHome(...unknown), await overServer(...unknown)];
  expect(there).toEqual(here);
  expect([here.code, here.err]).toEqual([1, expect.stringContaining('no model')]);
}, 60_000);

test('an export is the same files, brought by the server and checked against their digests', async () => {
  const words = ['models', 'export', 'support', '--to', 'vllm', '--no-merge', '--json'];
  const mine = await atHome(...words, '--output', 'here');
  const theirs = await overServer(...words, '--output', 'there');
  expect([mine.code, theirs.code]).toEqual([0, 0]);
  expect(theirs.out.replaceAll(join(folder, 'there'), join(folder, 'here'))).toBe(mine.out);
  const names = await readdir(join(folder, 'here', 'adapter'));
  expect(await readdir(join(folder, 'there', 'adapter'))).toEqual(names);
  for (const name of names) {
    const read = (side: string) => readFile(join(folder, side, 'adapter', name));
    expect((await read('there')).equals(await read('here'))).toBe(true);
  }
  // Nothing of where the server keeps them.
  expect(`${theirs.out}${theirs.err}`).not.toContain(twin);
  const again = await overServer(...words, '--output', 'there');
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('is there already')]);

  // A file that changed on the server's disk after it was listed is not taken for the weights.
  const { adapters } = homePaths(twin);
  const [listed = ''] = (await readdir(adapters)).filter((name) => !name.endsWith('.json'));
  const tensors = join(adapters, listed, 'adapter_model.safetensors');
  const bytes = await readFile(tensors);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(tensors, bytes);
  const broken = await overServer(...words, '--output', 'broken');
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('its digest is another one')]);
  expect(await readdir(join(folder, 'broken'))).not.toContain('adapter');
}, 90_000);

test('an engine or a folder that a caller names is not asked by a server', async () => {
  for (const flags of [
    ['--engine-url', 'http://127.0.0.1:9'],
    ['--tokenizer', '/etc'],
  ]) {
    const { code, err } = await overServer('models', 'compare', 'base', 'support', '--dataset', 'chats', ...flags);
    expect([code, err]).toEqual([1, expect.stringContaining(`${flags[0]} is for the engine of this machine`)]);
  }
}, 60_000);
