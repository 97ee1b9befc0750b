import { LachesisError } from '@lachesis/protocol';
import { LeaseLostError, StoreConflictError } from '@lachesis/store';
import { expect, test } from 'vitest';
import { readTrajectoryApiSettings } from '../../http/settings/trajectory-api-settings.ts';
import { toRefusal, type AskMessage } from '../replicas/ask-message.ts';
import { NotOwnerError } from '../replicas/not-owner-error.ts';
import type { Answer } from '../replicas/post-json.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { RunOwner } from '../replicas/run-owner.ts';
import type { OpenRun, RunDirectory } from '../run-directory.ts';
import { createAsk } from './ask.ts';

/** A run that another server owns, and what that server does with each question. */
function openElsewhere(answers: ((message: AskMessage) => Answer)[]) {
  let now = 0;
  const asked: { place: string; id: string; timeoutMs: number }[] = [];
  const forgotten: (string | null)[] = [];
  const owner: Partial<RunOwner> = {
    find: async () => `http://other-${forgotten.length}`,
    forget: (place) => void forgotten.push(place),
  };
  const replicas: Partial<Replicas> = {
    name: 'me',
    leaseSeconds: 5,
    async ask(place, message, timeoutMs) {
      const { id } = message;
      asked.push({ place, id, timeoutMs });
      const answer = answers.shift();
      if (answer === undefined) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      return answer(message);
    },
  };
  const run: Partial<OpenRun> = { owner: owner as RunOwner };
  const runs: Partial<RunDirectory> = { open: () => run as OpenRun };
  let ids = 0;
  const ask = createAsk({
    ...{ runs: runs as RunDirectory, replicas: replicas as Replicas, monotonic: () => now },
    settings: readTrajectoryApiSettings({}, {}).values,
    nextId: () => `id-${(ids += 1)}`,
    random: () => 0.5,
    pause: async (ms) => void (now += ms),
  });
  const call = { principal: { tenantId: 'local' }, runName: 'a' };
  return { asked, forgotten, reset: () => ask(call, 'reset', {}), readNow: () => now };
}

const decided = (): Answer => ({ status: 200, body: { value: 'done' } });

test('the owner decides, and one that is gone is looked for again under the same id', async () => {
  const lost = new LeaseLostError({ what: 'a', holder: 'other', epoch: 1 });
  const world = openElsewhere([
    () => toRefusal(new NotOwnerError('a'), 'a'),
    () => toRefusal(lost, 'a'),
    () => ({ status: 500, body: {} }),
    decided,
  ]);
  expect(await world.reset()).toBe('done');
  expect(world.asked.map(({ place }) => place)).toEqual([0, 1, 2, 3].map((index) => `http://other-${index}`));
  expect(new Set(world.asked.map(({ id }) => id))).toEqual(new Set(['id-1']));
  expect(world.forgotten).toHaveLength(3);
});

test.each([
  new LachesisError({ code: 'stale-lease', message: 'too late' }),
  new StoreConflictError({ constraint: 'groups_key' }),
])('what the owner refuses is refused here in the same words, and not asked again: %s', async (refusal) => {
  const world = openElsewhere([() => toRefusal(refusal, 'a'), decided]);
  await expect(world.reset()).rejects.toThrow(refusal.message);
  expect(world.asked).toHaveLength(1);
});

test('past the deadline it says when to come back', async () => {
  const world = openElsewhere([]);
  await expect(world.reset()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(world.readNow()).toBeGreaterThan(19_000);
  expect(world.readNow()).toBeLessThanOrEqual(20_000);
  // No question is given longer than a silent owner keeps the run, nor than is left.
  expect(Math.max(...world.asked.map(({ timeoutMs }) => timeoutMs))).toBe(5_000);
  expect(world.asked.at(-1)?.timeoutMs).toBeLessThan(1_000);
});
