import { expect, test } from 'vitest';
import { createOnPolicyRounds } from './create-on-policy-rounds.ts';

function open(config: { max_num_workers?: number } = {}) {
  let now = 0;
  const rounds = createOnPolicyRounds({
    config: { max_num_workers: -1, group_size: 4, ...config },
    ...{ batchSize: 8, now: () => now },
  });
  return { rounds, wait: (ms: number) => void (now += ms) };
}

test('nothing is started before the trainer asks for a batch, and while it trains on one', () => {
  const { rounds } = open();
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(0);
  rounds.hear(null);
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(0);
  rounds.hear('0.1');
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(2);
  rounds.hear(null);
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(0);
});

test('a round is one batch, also when its groups have left the queue and the trainer has not said so yet', () => {
  const { rounds } = open();
  rounds.hear('0.1');
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 1 })).toBe(1);
  rounds.sent();
  rounds.sent();
  expect(rounds.countOpenPlaces({ queued: 2, inFlight: 0 })).toBe(0);
  rounds.hear('0.1');
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(0);
  rounds.hear('1.2');
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(2);
});

test('what waits from before counts, and so do the workers', () => {
  const { rounds } = open({ max_num_workers: 1 });
  rounds.hear('3.1');
  expect(rounds.countOpenPlaces({ queued: 1, inFlight: 0 })).toBe(1);
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 0 })).toBe(1);
  expect(rounds.countOpenPlaces({ queued: 0, inFlight: 1 })).toBe(0);
});

test('a batch that does not come about is helped by one more group, now and then', () => {
  const { rounds, wait } = open();
  rounds.hear('0.1');
  rounds.sent();
  rounds.sent();
  wait(5_000);
  expect(rounds.countOpenPlaces({ queued: 2, inFlight: 1 })).toBe(0);
  expect(rounds.countOpenPlaces({ queued: 2, inFlight: 0 })).toBe(1);
  expect(rounds.countOpenPlaces({ queued: 2, inFlight: 0 })).toBe(0);
});
