import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureEventLoopLag } from './event-loop-lag.ts';

test('the lag stands under the name by which the explanation of a run looks for it', async () => {
  const registry = new Registry();
  measureEventLoopLag(registry);
  expect(await registry.metrics()).toContain('\nlachesis_event_loop_lag_seconds ');
});
