import { expect, test } from 'vitest';
import { failed, scored } from '../outcome.ts';
import { createProgress, type ProgressMode } from './create-progress.ts';

function kit(mode: ProgressMode) {
  let now = 0;
  let written = '';
  const progress = createProgress({ mode, name: 'toy', write: (text) => (written += text), now: () => now });
  const rollout = (outcome: Parameters<typeof scored>[0] | 'failed') =>
    progress.onEvent({
      kind: 'rollout-ended',
      split: 'train',
      outcome: outcome === 'failed' ? failed('timeout', 'slow') : scored(outcome),
      durationMs: 1,
    });
  return { progress, rollout, written: () => written, wait: (ms: number) => (now += ms) };
}

test('a pipe gets a plain line now and then, and what must be read at once', () => {
  const { progress, rollout, written, wait } = kit('plain');
  progress.onEvent({ kind: 'step-reached', step: 2, totalSteps: 10 });
  wait(10_000);
  for (const reward of [1, 0, 1, 'failed'] as const) rollout(reward);
  wait(10_000);
  rollout(0);
  progress.onEvent({ kind: 'run-paused', reason: '10 rollouts in a row failed' });
  progress.end();
  expect(written()).not.toContain('\r');
  expect(written()).toContain('toy  step 2/10  5 rollouts (0.3/s)  reward 0.500  failed 20.0 %');
  expect(written()).toContain('paused: 10 rollouts in a row failed\n');
});

test('groups that the trajectory API put aside are told with the reason', () => {
  const { progress, written } = kit('plain');
  const health = { isDead: false } as never;
  progress.onEvent({ kind: 'group-sent', groupId: 'a', status: 'queued', health });
  progress.onEvent({
    ...{ kind: 'group-sent', groupId: 'b', status: 'quarantined', health },
    reason: 'larger-than-group-size: 30 sequences',
  });
  progress.end();
  expect(written()).toContain('1 groups are not trained on, the last because larger-than-group-size: 30 sequences');
});

test('a terminal gets one line that is rewritten', () => {
  const { progress, rollout, written, wait } = kit('line');
  rollout(1);
  wait(300);
  rollout(0);
  progress.onEvent({ kind: 'run-waiting', reason: '24 groups wait for the trainer' });
  progress.end();
  const lines = written().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]!.split('\r').length).toBeGreaterThan(2);
  expect(written()).toContain('waiting: 24 groups wait for the trainer');
});

test('JSON gets every event on a line', () => {
  const { progress, rollout, written } = kit('json');
  rollout(1);
  progress.end();
  expect(JSON.parse(written())).toMatchObject({ kind: 'rollout-ended', outcome: { reward: 1 } });
});
