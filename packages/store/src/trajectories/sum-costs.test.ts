import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createCall, createMemoryBlobs, user } from './captures.fixture.ts';
import { recordCaptures } from './captures/record-captures.ts';
import { sumCosts } from './sum-costs.ts';

/** 2023-11-14 22:13 UTC. */
const FIRST = 1_700_000_000_000;
const HOURS = 3_600_000;

describeOnEachDialect('what was recorded has cost', (createTarget) => {
  it('as far as prices are known, by model, run and day', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const ask = (trajectory: string, changes: object, run?: string) =>
      createCall({
        ...{ trajectory, messages: [user(trajectory)], metadata: run === undefined ? null : { run_id: run } },
        ...changes,
      });
    await recordCaptures({
      ...scope,
      records: [
        ask('a', { model: 'small', cost: 0.25, at: FIRST }, 'run1'),
        ask('b', { model: 'small', cost: null, at: FIRST + 2 * HOURS }, 'run1'),
        ask('c', { model: 'big', cost: 2, at: FIRST + 2 * HOURS }),
        ask('d', { model: 'own', cost: null, at: FIRST + 2 * HOURS }),
        ask('e', { model: 'free', cost: 0, at: FIRST + 2 * HOURS }),
      ],
    });
    const sum = (options: object) =>
      sumCosts({ store: scope.store, tenantId: 'local', by: 'model', limit: 10, ...options });
    const brief = async (options: object) =>
      (await sum(options)).rows.map(({ group, trajectories, cost, without_cost: without }) => [
        ...[group, trajectories, cost, without],
      ]);
    expect(await brief({})).toEqual([
      ['big', 1, 2, 0],
      ['small', 2, 0.25, 1],
      ['free', 1, 0, 0],
      ['own', 1, null, 1],
    ]);
    expect(await brief({ by: 'day' })).toEqual([
      ['2023-11-15', 4, 2, 2],
      ['2023-11-14', 1, 0.25, 0],
    ]);
    expect(await brief({ by: 'run' })).toEqual([
      [null, 3, 2, 1],
      ['run1', 2, 0.25, 1],
    ]);
    expect(await sum({ limit: 1, since: FIRST + HOURS })).toEqual({
      rows: [{ group: 'big', trajectories: 1, turns: 1, completion_tokens: 2, cost: 2, without_cost: 0 }],
      total: { trajectories: 4, turns: 4, completion_tokens: 8, cost: 2, without_cost: 2 },
    });
    expect(await sum({ until: FIRST })).toEqual({
      rows: [],
      total: { trajectories: 0, turns: 0, completion_tokens: 0, cost: null, without_cost: 0 },
    });
  });
});
