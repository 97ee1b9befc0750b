import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import { realClock } from '@lachesis/protocol';

const EARLY_MS = 20;

test('an operation whose patience ends a moment early is not sent out of turn', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft' });
  const clock = {
    now: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(Math.max(0, ms - EARLY_MS), signal),
  };
  const options = { baseUrl: fake.url, env: {}, heartbeatMs: false, timeoutMs: 5_000, clock } as const;
  const service = await createTinkerClient(options).connect();
  const training = await service.createTraining({ baseModel: 'fake/model' });
  fake.fault = ({ path, count }) =>
    path === 'optim_step' && count === 0 ? { kind: 'hang', isDone: false } : undefined;
  const first = training.optimStep({ learningRate: 0.1 }, { timeoutMs: 1_000 });
  const second = training.saveState('late', { timeoutMs: 200 });
  await expect(second).rejects.toMatchObject({ kind: 'timeout', waitingFor: 'its turn', outcomeUnknown: false });
  expect(fake.count('save_weights')).toBe(0);
  await expect(first).rejects.toMatchObject({ kind: 'timeout' });
  await service.close({ leavesModels: true });
});
