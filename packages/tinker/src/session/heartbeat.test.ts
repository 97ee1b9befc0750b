import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import type { TinkerEvent } from '../events.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';

async function open(kind: 'managed' | 'tuft', intervalMs: number) {
  const fake = await FakeServer.start({ kind });
  const events: TinkerEvent[] = [];
  const client = createTinkerClient({
    baseUrl: fake.url,
    env: {},
    heartbeatMs: intervalMs,
    onEvent: (event) => events.push(event),
  });
  return { fake, events, service: await client.connect() };
}

/** Beats that are under way may still arrive, late on a busy machine. */
async function waitForSilence(fake: FakeServer): Promise<void> {
  const hearsNothing = async (): Promise<boolean> => {
    const beats = fake.heartbeats.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    return fake.heartbeats.length === beats;
  };
  await expect.poll(hearsNothing).toBe(true);
}

test('the heart beats while the main thread is blocked', async () => {
  const { FakeServerThread } = await import('../testing/fake-server-thread.fixture.ts');
  await using server = await FakeServerThread.start();
  const service = await createTinkerClient({ baseUrl: server.url, env: {}, heartbeatMs: 100 }).connect();
  await expect.poll(() => server.countBeats()).toBeGreaterThan(0);
  // A second of them on an idle machine.
  const beats = server.blockForBeats({ count: 10, withinMs: 10_000 });
  await service.close();
  expect(beats).toBeGreaterThanOrEqual(10);
});

test('a session the server has ended is told and no longer kept alive', async () => {
  const { fake, events, service } = await open('managed', 40);
  await expect.poll(() => fake.heartbeats.length).toBeGreaterThan(1);
  fake.fault = ({ path }) => (path === 'session_heartbeat' ? { kind: 'status', status: 410 } : undefined);
  await expect.poll(() => events.some(({ type }) => type === 'session-ended')).toBe(true);
  await waitForSilence(fake);
  const beats = fake.heartbeats.length;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(fake.heartbeats).toHaveLength(beats);
  await service.close();
  await fake.close();
});

test('a missed beat is told and the next one is tried', async () => {
  const { fake, events, service } = await open('tuft', 40);
  fake.fault = ({ path }) => (path === 'session_heartbeat' ? { kind: 'status', status: 503 } : undefined);
  await expect.poll(() => events.filter(({ type }) => type === 'heartbeat-missed').length).toBeGreaterThan(1);
  expect(events.find(({ type }) => type === 'heartbeat-missed')).toMatchObject({ reason: 'HTTP 503' });
  fake.fault = undefined;
  const beats = fake.heartbeats.length;
  await expect.poll(() => fake.heartbeats.length).toBeGreaterThan(beats + 1);
  await service.close();
  await fake.close();
});

test('nothing beats after close, however often it is called', async () => {
  const { fake, service } = await open('tuft', 30);
  await expect.poll(() => fake.heartbeats.length).toBeGreaterThan(0);
  await Promise.all([service.close(), service.close()]);
  const beats = fake.heartbeats.length;
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(fake.heartbeats).toHaveLength(beats);
  await fake.close();
});
