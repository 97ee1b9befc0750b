import type { PolicyPublication } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { pino } from 'pino';
import { expect, test } from 'vitest';

import { createPublisher, type PolicyPublisher } from './publisher.ts';

const POLICY: PolicyPublication = { model_path: 'tinker://m/policy-1', policy_version: 1, step: 1 };
const signal = new AbortController().signal;

const refusal = (status: number, retryable: boolean): ClientError =>
  new ClientError({ code: 'http', call: 'POST /v1/policy', reason: 'no', status, retryable });

function kit(answers: (ClientError | undefined)[]) {
  const published: PolicyPublication[] = [];
  let slept = 0;
  const publisher: PolicyPublisher = {
    publishPolicy: async (policy) => {
      published.push(policy);
      const answer = answers.shift();
      if (answer !== undefined) throw answer;
      return { policy_version: 1, model_path: null, step: 1, base_model: 'm', active_since: 0 };
    },
    readPolicy: () => Promise.reject(refusal(503, true)),
  };
  const clock = { now: () => slept, sleep: async (ms: number) => void (slept += ms) };
  return {
    publisher: createPublisher({ policies: publisher, clock, log: pino({ level: 'silent' }) }),
    published,
    slept: () => slept,
  };
}

test('waits for an inference station that is being started again', async () => {
  const { publisher, published, slept } = kit([refusal(503, true), refusal(503, true), undefined]);
  await publisher.publish(POLICY, signal);
  expect(published).toEqual([POLICY, POLICY, POLICY]);
  expect(slept()).toBe(4000);
});

test('replaces a newer policy that a run before this one left', async () => {
  const { publisher, published } = kit([refusal(409, false), undefined]);
  await publisher.publish(POLICY, signal);
  expect(published).toEqual([POLICY, { ...POLICY, force: true }]);
});

test('gives up where waiting does not help, and in the end everywhere', async () => {
  await expect(kit([refusal(422, false)]).publisher.publish(POLICY, signal)).rejects.toMatchObject({ status: 422 });
  const away = kit(Array.from({ length: 1000 }, () => refusal(503, true)));
  await expect(away.publisher.publish(POLICY, signal)).rejects.toMatchObject({ status: 503 });
  expect(away.slept()).toBeGreaterThan(10 * 60_000);
});

test('says nothing about the version when inference does not answer', async () => {
  expect(await kit([]).publisher.activeVersion(signal)).toBeUndefined();
});
