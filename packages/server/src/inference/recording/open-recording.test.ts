import { EMPTY_REPLY, type CollectedReply } from '@lachesis/sdk/capture';
import { listTrajectories, openHome, readTrajectory, type BlobStore, type Home, type Store } from '@lachesis/store';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../http/logs/create-log.ts';
import { readInferenceSettings } from '../../http/settings/inference-settings.ts';
import { DrainThread } from './drain-thread.ts';
import { openRecording, type Recording } from './open-recording.ts';

let home: string;
let opened: Home;
let store: Store;
let blobs: BlobStore;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lachesis-recording-'));
  opened = await openHome({ home, onBackgroundError: () => undefined });
  ({ store, blobs } = opened);
});
afterEach(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

const open = (options: Record<string, unknown> = {}, env: Record<string, string> = {}): Promise<Recording> =>
  openRecording({
    settings: readInferenceSettings({ home, ...options }, {}).values,
    home: opened,
    registry: new Registry(),
    log: createLog({ name: 'test', level: 'silent' }),
    env,
  });

const begin = ({ recorder }: Recording, content: string, tenantId = 'local') =>
  recorder.begin({
    endpoint: 'chat',
    body: { model: 'm', messages: [{ role: 'user', content }] },
    labels: { trajectory: 'job', user: null, tags: [], consent: undefined, isRollout: false },
    tenantId,
    upstream: 'api.example',
  });

const reply: CollectedReply = {
  ...EMPTY_REPLY,
  choices: [
    {
      ...{ index: 0, message: { role: 'assistant', content: 'yes' }, finishReason: 'stop', tokenIds: undefined },
      ...{ logprobs: undefined, promptTokenIds: undefined, policyVersion: undefined },
    },
  ],
  usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 },
};

const list = async (tenantId = 'local') =>
  (await listTrajectories({ store, tenantId, filter: {}, limit: 10 })).trajectories;

/** A thread that runs from its sources on a busy machine takes seconds to start. */
const PATIENCE = { timeout: 20_000, interval: 50 };

async function arrived(tenantId = 'local'): Promise<void> {
  await expect.poll(async () => (await list(tenantId)).length, PATIENCE).toBe(1);
}

describe('a recording', { timeout: 60_000 }, () => {
  it('brings calls into the store, and then knows their trajectory', async () => {
    const recording = await open();
    const first = begin(recording, 'hi');
    first?.complete(reply);
    await arrived();
    const [summary] = await list();
    // What its caller was told before the store knew of it.
    expect(first?.trajectoryId).toBe(summary?.trajectory_id);
    await expect.poll(() => begin(recording, 'again')?.trajectoryId, PATIENCE).toBe(summary?.trajectory_id);
    await recording.close();
    const whole = await readTrajectory({ store, blobs, tenantId: 'local', trajectoryId: summary?.trajectory_id ?? '' });
    expect(whole?.turns).toMatchObject([
      { turn_id: first?.turnId, messages: [{ content: 'hi' }], replies: [{ message: { content: 'yes' } }] },
    ]);
    expect(whole?.gaps).toEqual([]);
    expect(await readdir(join(home, 'outbox')).catch(() => [])).toEqual([]);
  });

  it('has what brings records in at hand before the first one, where it stands before an agent', async () => {
    const drains = vi.spyOn(DrainThread.prototype, 'drain');
    const recording = await open({ upstreamUrl: 'http://api.example/v1' });
    await expect.poll(() => drains.mock.settledResults.length, PATIENCE).toBe(1);
    drains.mockRestore();
    begin(recording, 'hi')?.complete(reply);
    await arrived();
    await recording.close();
  });

  it('brings in what a process left behind that died, of each tenant', async () => {
    const dying = await open();
    begin(dying, 'one')?.complete(reply);
    begin(dying, 'two', 'team/a')?.complete(reply);
    // It never drains: its store is gone with it.
    const path = join(home, 'outbox');
    expect(await readdir(path)).toHaveLength(1);
    const next = await open();
    await arrived();
    await arrived('team/a');
    await next.close();
    await dying.close();
    expect(await list()).toMatchObject([{ turn_count: 1 }]);
  });

  it('keeps no secret of its environment, of a named variable or of a pattern', async () => {
    const recording = await open(
      { redactVariables: 'CUSTOMER', redactPattern: 'cust-(\\d+)' },
      { SERVICE_API_KEY: 'abcdefgh12345', CUSTOMER: 'Jane Roe of Leeds' },
    );
    begin(recording, 'abcdefgh12345 and Jane Roe of Leeds and cust-99812')?.complete(reply);
    await arrived();
    await recording.close();
    const [summary] = await list();
    expect(summary?.title).toMatch(/and/);
    expect(summary?.title).not.toMatch(/abcdefgh|Roe|99812/);
  });

  it('knows the prices of the table, and refuses one that is wrong', async () => {
    await writeFile(join(home, 'prices.yaml'), 'm: { input: 1, output: 2.5 }\n');
    const recording = await open();
    begin(recording, 'hi')?.complete(reply);
    await arrived();
    await recording.close();
    expect(await list()).toMatchObject([{ cost: 3.5 }]);
    await writeFile(join(home, 'prices.yaml'), 'm: { input: free }\n');
    await expect(open()).rejects.toThrow(/prices\.yaml is wrong at m\.input/);
  });
});
