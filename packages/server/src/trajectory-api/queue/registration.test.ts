import { describe, expect, it } from 'vitest';
import { registerEnvironment, resolveEnvironment, setEnvironmentConnected, usesMinimums } from './environments.ts';
import { createQueueBench, makeRegistration } from './queue-bench.fixture.ts';
import { registerTrainer } from './register-trainer.ts';

const registration = { maxTokenLength: 64, desiredName: 'math', weight: 1, groupSize: 4, minBatchAllocation: null };

describe('registering a trainer', () => {
  it('counts the first time; later ones are told what is in force', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    const answer = bench.take((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 16 })));
    expect(answer.registration.batchSize).toBe(8);
    expect(bench.changes.events).toEqual([]);
  });
});

describe('registering an environment', () => {
  it('waits for the trainer to ask for its first batch', () => {
    const bench = createQueueBench();
    bench.registerTrainer(8);
    expect(bench.take((transaction) => registerEnvironment(transaction, registration))).toEqual({ kind: 'wait' });
    bench.handOut();
    expect(bench.take((transaction) => registerEnvironment(transaction, registration))).toMatchObject({
      kind: 'registered',
      step: 0,
    });
  });

  it('numbers environments and their namesakes', () => {
    const bench = createQueueBench();
    const ordinals = ['math', 'code', 'math'].map((desiredName) => bench.registerEnvironment({ desiredName }));
    expect(ordinals).toEqual([0, 1, 2]);
    expect(bench.state.environments.map((environment) => environment.realName)).toEqual(['math_0', 'code_0', 'math_1']);
  });

  it('finds environments by ids that count from either end', () => {
    const bench = createQueueBench();
    bench.registerEnvironment();
    bench.registerEnvironment();
    const find = (envId: number | null) => resolveEnvironment(bench.state, envId)?.ordinal;
    expect([0, 1, 2, -1, -2, -3, null].map(find)).toEqual([0, 1, undefined, 1, 0, undefined, undefined]);
  });

  it('records a change of connection once, with its reason', () => {
    const bench = createQueueBench();
    bench.registerEnvironment({ minBatchAllocation: 0.2 });
    const set = (connected: boolean) =>
      bench.take((transaction) => {
        const [environment] = transaction.state.environments;
        if (environment !== undefined) setEnvironmentConnected(transaction, environment, { connected, reason: 'why' });
      });
    const revision = bench.state.environmentsRevision;
    expect(usesMinimums(bench.state)).toBe(true);
    set(false);
    expect(bench.changes.events).toMatchObject([{ kind: 'environment-disconnected', data: { reason: 'why' } }]);
    expect(bench.state.environments[0]).toMatchObject({ connected: false, disconnectReason: 'why' });
    expect(usesMinimums(bench.state)).toBe(false);
    set(false);
    expect(bench.changes.events).toEqual([]);
    set(true);
    expect(bench.state.environments[0]).toMatchObject({ connected: true, disconnectReason: null });
    expect(bench.state.environmentsRevision).toBe(revision + 2);
  });
});
