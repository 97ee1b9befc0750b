import pino from 'pino';
import { expect, test } from 'vitest';
import type { RouteCall } from '../http/route.ts';
import type { Trainer } from '../services/training/rl/create-trainer.ts';
import { createStatus } from '../services/training/rl/status.ts';
import { superviseTraining } from './supervise-training.ts';

/** A supervisor of trainers whose engine is gone, and how many sessions it has opened. */
function superviseFailing() {
  let opened = 0;
  let pauses = 0;
  const supervisor = superviseTraining({
    open: () => {
      opened += 1;
      const status = createStatus({ totalSteps: 10, startedAt: 0 });
      const trainer: Trainer = {
        status: () => status,
        checkpoints: () => undefined,
        evaluate: async () => null,
        recordMetrics: () => undefined,
        keepItems: () => undefined,
        progress: () => undefined,
        run: async () => {
          status.state = 'failed';
          throw new Error('the engine is gone');
        },
        stop: async () => undefined,
      };
      return { trainer, close: async () => undefined };
    },
    log: pino({ level: 'silent' }),
    sleep: async (_ms, signal) => {
      pauses += 1;
      if (pauses < 3) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
  return { supervisor, opened: () => opened };
}

test('a stop over HTTP between two sessions ends the supervision, not only the session that is over', async () => {
  const { supervisor, opened } = superviseFailing();
  const running = supervisor.run();
  await expect.poll(opened).toBe(3);
  await expect
    .poll(() => supervisor.status())
    .toMatchObject({ state: 'starting', detail: expect.stringContaining('trying again') });
  const route = supervisor.routes.find(({ path }) => path === '/v1/trainer/stop');
  const sent = { request: {}, reply: { statusCode: 200 } };
  const told = await route?.handle(sent as unknown as RouteCall);
  await running;
  expect(told).toMatchObject({ state: 'stopped', detail: expect.stringContaining('the engine is gone') });
  expect(opened()).toBe(3);
});
