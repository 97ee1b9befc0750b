import { expect, test } from 'vitest';
import { decideRestart } from './decide-restart.ts';

test('the pause doubles with each death, and the fifth within ten minutes is the last', () => {
  const pauses: number[] = [];
  let deaths: readonly number[] = [];
  for (let now = 0; ; now += 60_000) {
    const decision = decideRestart({ deaths, now });
    deaths = decision.deaths;
    if (decision.kind === 'give-up') break;
    pauses.push(decision.startAfter - now);
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(deaths).toHaveLength(5);
});

test('deaths of long ago do not count', () => {
  const deaths = [0, 1, 2, 3];
  expect(decideRestart({ deaths, now: 11 * 60_000 })).toEqual({
    ...{ kind: 'restart', deaths: [660_000], startAfter: 661_000 },
  });
});

test('what can never start is not started again', () => {
  expect(decideRestart({ deaths: [], now: 5, code: 78 })).toEqual({ kind: 'give-up', deaths: [5] });
  expect(decideRestart({ deaths: [], now: 5, code: 1 }).kind).toBe('restart');
});
