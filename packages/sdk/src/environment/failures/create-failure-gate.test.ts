import { expect, test } from 'vitest';
import { abstained, failed, scored } from '../outcome.ts';
import { createFailureGate } from './create-failure-gate.ts';

const broken = failed('infrastructure', 'down');

function kit() {
  const clock = { now: 0 };
  const gate = createFailureGate({ now: () => clock.now });
  const record = (outcome: Parameters<typeof gate.record>[0], times = 1, everyMs = 0) => {
    for (let count = 0; count < times; count += 1) {
      gate.record(outcome);
      clock.now += everyMs;
    }
  };
  return { clock, gate, record };
}

test('pauses at ten failures in a row and not at nine', () => {
  const { gate, record } = kit();
  record(broken, 9);
  record(scored(0));
  record(broken, 9);
  expect(gate.reason).toBeUndefined();
  record(abstained('unclear'));
  record(broken);
  expect(gate.reason).toBe('10 rollouts in a row failed; the last: infrastructure, down');
  gate.reset();
  expect(gate.reason).toBeUndefined();
});

test('pauses at a fifth of five minutes, and forgets what is older', () => {
  const { gate, record, clock } = kit();
  for (let round = 0; round < 9; round += 1) {
    record(scored(1), 4);
    record(broken);
  }
  expect(gate.reason).toBeUndefined();
  record(scored(1), 4);
  record(broken);
  expect(gate.reason).toContain('10 of 50 rollouts of the last 5 minutes failed');
  gate.reset();

  for (let round = 0; round < 12; round += 1) {
    record(scored(1), 8);
    record(broken);
  }
  expect(gate.reason).toBeUndefined();
  clock.now += 299_000;
  record(scored(1), 40);
  clock.now += 2_000;
  // Only the forty good ones are within five minutes.
  record(broken, 9);
  expect(gate.reason).toBeUndefined();
});
