import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HubProgress } from './download-blob.ts';
import { fetchSnapshot, isRepositoryName } from './fetch-snapshot.ts';
import { HubError } from './hub-error.ts';
import { startHub, type TestHubOptions } from './testing/start-hub.fixture.ts';

const big = randomBytes(300_000);
const repositories = {
  'owner/model': {
    files: { 'tokenizer.json': big, 'tokenizer_config.json': '{"a":1}', 'additional_chat_templates/rag.jinja': 'R' },
    large: ['tokenizer.json'],
  },
  'owner/private': { files: { 'tokenizer.json': '{}' }, token: 'hf_right' },
};

let cache = '';
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'lachesis-hub-'));
});
afterEach(() => rm(cache, { recursive: true }));

const wanted = {
  paths: ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'],
  required: 'tokenizer.json',
  folders: ['additional_chat_templates', 'no_such_folder'],
  sleep: () => Promise.resolve(),
};

async function fetchFrom(
  hubOptions: Partial<TestHubOptions>,
  given: { repository?: string; env?: Record<string, string>; onProgress?: (p: HubProgress) => void } = {},
) {
  await using hub = await startHub({ repositories, ...hubOptions });
  const { env, ...rest } = given;
  const snapshot = await fetchSnapshot({
    ...wanted,
    ...{ repository: 'owner/model', env: { HF_ENDPOINT: hub.url, HF_HUB_CACHE: cache, ...env } },
    ...rest,
  }).catch((error: unknown) => error);
  return { snapshot, calls: hub.calls, sentBytes: hub.sentBytes };
}

describe('files of a hub', () => {
  it('come into the cache as huggingface_hub lays it out', async () => {
    const seen: HubProgress[] = [];
    const { snapshot } = await fetchFrom({}, { onProgress: (progress) => void seen.push(progress) });
    const folder = String(snapshot);
    expect(await readFile(join(folder, 'tokenizer.json'))).toEqual(big);
    expect(await readFile(join(folder, 'additional_chat_templates', 'rag.jinja'), 'utf8')).toBe('R');
    expect(await readlink(join(folder, 'tokenizer.json'))).toMatch(/^\.\.\/\.\.\/blobs\/[0-9a-f]{64}$/);
    expect(folder).toContain(await readFile(join(cache, 'models--owner--model', 'refs', 'main'), 'utf8'));
    expect(seen.at(-1)?.receivedBytes).toBe(seen.at(-1)?.totalBytes);
    expect((await readdir(join(cache, 'models--owner--model', 'blobs'))).filter((name) => name.includes('.'))).toEqual(
      [],
    );
  });

  it('are not asked for twice', async () => {
    await fetchFrom({});
    expect((await fetchFrom({})).calls).toEqual([]);
  });

  it('arrive through a hub that is busy and cuts downloads, gone on with after each cut', async () => {
    const blobs = join(cache, 'models--owner--model', 'blobs');
    const keptBytes = async (): Promise<number> => {
      const names = (await readdir(blobs)).filter((name) => name.endsWith('.incomplete'));
      return Math.max(...(await Promise.all(names.map(async (name) => (await stat(join(blobs, name))).size))));
    };
    const beforeCut = async (sent: number): Promise<void> => {
      await expect.poll(keptBytes).toBe(sent);
    };
    const { snapshot, sentBytes } = await fetchFrom({ busy: 3, cuts: 2, beforeCut });
    expect(await readFile(join(String(snapshot), 'tokenizer.json'))).toEqual(big);
    expect(sentBytes.get('tokenizer.json')).toBe(big.byteLength);
  });

  it('go on where a process that was killed stopped', async () => {
    const { snapshot: first } = await fetchFrom({});
    const blobs = join(cache, 'models--owner--model', 'blobs');
    const name = (await readlink(join(String(first), 'tokenizer.json'))).split('/').at(-1) ?? '';
    await rm(join(cache, 'models--owner--model', 'refs'), { recursive: true });
    await rm(join(blobs, name));
    // No process has this number.
    await writeFile(join(blobs, `${name}.4194399.incomplete`), big.subarray(0, 200_000));
    const { snapshot, sentBytes } = await fetchFrom({});
    expect(await readFile(join(String(snapshot), 'tokenizer.json'))).toEqual(big);
    expect(sentBytes.get('tokenizer.json')).toBe(100_000);
  });

  it('with another hash than announced are refused, and nothing is kept', async () => {
    const { snapshot: error } = await fetchFrom({ isCorrupting: true });
    expect(HubError.isInstance(error) && error.kind).toBe('broken-file');
    expect(await readdir(join(cache, 'models--owner--model', 'blobs'))).toEqual([]);
  });
});

describe('a refusal', () => {
  it('for want of a token says where to get one, and does not hold the one that was given', async () => {
    const { snapshot: none } = await fetchFrom({}, { repository: 'owner/private' });
    expect(HubError.isInstance(none) && [none.kind, none.message.includes('HF_TOKEN')]).toEqual(['no-access', true]);
    const { snapshot: wrong } = await fetchFrom({}, { repository: 'owner/private', env: { HF_TOKEN: 'hf_no' } });
    expect(HubError.isInstance(wrong) && wrong.message).not.toContain('hf_no');
    const { snapshot: right } = await fetchFrom({}, { repository: 'owner/private', env: { HF_TOKEN: 'hf_right' } });
    expect(await readFile(join(String(right), 'tokenizer.json'), 'utf8')).toBe('{}');
  });

  it('names what does not exist, and what may not be fetched', async () => {
    const { snapshot: missing } = await fetchFrom({}, { repository: 'owner/nosuch', env: { HF_TOKEN: 'hf_right' } });
    expect(HubError.isInstance(missing) && missing.kind).toBe('not-found');
    const { snapshot: offline, calls } = await fetchFrom({}, { env: { HF_HUB_OFFLINE: '1' } });
    expect(HubError.isInstance(offline) && [offline.kind, calls.length]).toEqual(['offline', 0]);
    const { snapshot: path } = await fetchFrom({}, { repository: './no/such/folder' });
    expect(HubError.isInstance(path) && path.message).toMatch(/neither a folder here nor the name/);
  });

  it('of a hub that is not there says so', async () => {
    const error: unknown = await fetchSnapshot({
      ...wanted,
      ...{ repository: 'owner/model', env: { HF_ENDPOINT: 'http://127.0.0.1:9', HF_HUB_CACHE: cache } },
    }).catch((thrown: unknown) => thrown);
    expect(HubError.isInstance(error) && [error.kind, error.message]).toEqual([
      'unreachable',
      expect.stringMatching(/could not be fetched from 127\.0\.0\.1:9: .*HF_ENDPOINT/),
    ]);
  });
});

it.each([
  ['Qwen/Qwen3-8B', true],
  ['gpt2', true],
  ['../up', false],
  ['a/b/c', false],
  ['/abs/path', false],
  ['a/..', false],
])('%s is a name of a repository: %s', (name, expected) => {
  expect(isRepositoryName(name)).toBe(expected);
});
