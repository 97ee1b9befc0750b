import { expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../database/store.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { renewLease } from '../leases/acquire-lease.ts';
import type { Lease } from '../leases/lease.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { findImprovement, listImprovements, listServedImprovements } from './find-improvements.ts';
import { forgetExamples } from './forget-examples.ts';
import {
  acquireImprovement,
  advanceImprovement,
  changeImprovementRunner,
  endImprovement,
  noteImprovementProgress,
  releaseImprovement,
} from './hold-improvement.ts';
import { startImprovement } from './start-improvement.ts';

const tenantId = 't';
const begin = { tenantId, model: 'helper', plan: { method: 'dpo' }, stage: 'collect' };

async function hold(store: Store, improvementId: string): Promise<{ store: Store; lease: Lease }> {
  const held = await acquireImprovement({ store, tenantId, improvementId, holder: 'a', seconds: 60 });
  if (held === undefined) throw new Error('nobody had it');
  return { store, lease: held.lease };
}

describeOnEachDialect('an improvement', (createTarget) => {
  it('is one at a time for a model, however many begin it', async () => {
    await using target = await createTarget();
    const [store, other] = [await target.open(), await target.open()];
    const started = await Promise.all(
      Array.from({ length: 6 }, (_, index) => startImprovement({ store: index % 2 === 0 ? store : other, ...begin })),
    );
    expect(new Set(started.map(({ improvement }) => improvement.improvementId)).size).toBe(1);
    expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
    const { improvement } = await startImprovement({ store, ...begin, model: 'another' });
    expect(improvement.improvementId).not.toBe(started[0]?.improvement.improvementId);
    expect(await listImprovements({ store, tenantId })).toHaveLength(2);
    expect(await listImprovements({ store, tenantId: 'u' })).toEqual([]);
  });

  it('is brought on by one holder, and what the one before writes changes nothing', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const key = { store, tenantId, improvementId: improvement.improvementId };
    const taken = await Promise.all(
      ['a', 'b', 'c'].map((holder) => acquireImprovement({ ...key, holder, seconds: 60 })),
    );
    const [first] = taken.filter((one) => one !== undefined);
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    if (first === undefined) throw new Error('somebody has it');
    const old = { store, lease: first.lease };
    expect(await acquireImprovement({ ...key, holder: 'late', seconds: 1 })).toBeUndefined();
    await renewLease({ ...old, seconds: 0.01 });
    await sleep(50);
    const next = await acquireImprovement({ ...key, holder: 'd', seconds: 60 });
    expect(next?.improvement.epoch).toBe(2);
    const late = advanceImprovement({ ...old, from: 'collect', content: {}, to: { stage: 'filter' } });
    await expect(late).rejects.toSatisfy(LeaseLostError.isInstance);
    expect(await releaseImprovement({ ...old, problem: 'late' })).toBe(false);
    const isGone = (holder: string): boolean => holder === 'd';
    expect((await acquireImprovement({ ...key, holder: 'e', seconds: 60, isGone }))?.lease.epoch).toBe(3);
  });

  it('writes a stage down once and goes on with the next', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const held = await hold(store, improvement.improvementId);
    const done = { ...held, from: 'collect', content: { ratings: 3 }, to: { stage: 'filter' } };
    const both = await Promise.all([advanceImprovement(done), advanceImprovement(done)]);
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await advanceImprovement(done)).toBe(false);
    expect(await findImprovement({ store, tenantId, ref: 'helper' })).toMatchObject({
      stage: 'filter',
      stages: [{ stage: 'collect', content: { ratings: 3 } }],
    });
  });

  it('never changes once it has ended, and makes room for the next', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const held = await hold(store, improvement.improvementId);
    const to = { outcome: 'too-few-ratings', reason: '2 of 20' };
    expect(await advanceImprovement({ ...held, from: 'collect', content: {}, to })).toBe(true);
    const again = advanceImprovement({ ...held, from: 'collect', content: {}, to });
    await expect(again).rejects.toSatisfy(LeaseLostError.isInstance);
    const { improvementId } = improvement;
    expect(await acquireImprovement({ store, tenantId, improvementId, holder: 'b', seconds: 60 })).toBeUndefined();
    expect(await findImprovement({ store, tenantId, ref: improvement.improvementId })).toMatchObject(to);
    expect((await startImprovement({ store, ...begin })).isNew).toBe(true);
  });

  it('keeps what stopped it until it goes on', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    await releaseImprovement({ ...(await hold(store, improvement.improvementId)), problem: 'the engine is away' });
    expect(await findImprovement({ store, tenantId, ref: 'helper' })).toMatchObject({
      problem: 'the engine is away',
      holder: null,
      endedAt: null,
    });
  });

  it('is ended over its holder, whose writes are refused from then on', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin, runner: 'server' });
    const { improvementId } = improvement;
    const old = await hold(store, improvementId);
    expect(await noteImprovementProgress({ ...old, progress: 'step 2' })).toBe(true);
    expect(await listServedImprovements({ store })).toMatchObject([{ improvementId, tenantId, progress: 'step 2' }]);
    const end = { store, tenantId, improvementId, holder: 'b', outcome: 'stopped', reason: 'asked for' };
    expect((await Promise.all([endImprovement(end), endImprovement(end)])).filter(Boolean)).toHaveLength(1);
    expect(await endImprovement(end)).toBe(false);
    const late = advanceImprovement({ ...old, from: 'collect', content: {}, to: { stage: 'filter' } });
    await expect(late).rejects.toSatisfy(LeaseLostError.isInstance);
    await expect(noteImprovementProgress({ ...old, progress: 'late' })).rejects.toSatisfy(LeaseLostError.isInstance);
    expect(await changeImprovementRunner({ store, tenantId, improvementId, runner: 'server-paused' })).toBe(false);
    expect(await listServedImprovements({ store })).toEqual([]);
    expect(await findImprovement({ store, tenantId, ref: improvementId })).toMatchObject({
      ...{ outcome: 'stopped', reason: 'asked for', holder: null, progress: null, stages: [], runner: 'server' },
    });
  });

  it('is taken up by a server only while its row says so', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const key = { store, tenantId, improvementId: improvement.improvementId };
    expect(await listServedImprovements({ store })).toEqual([]);
    await changeImprovementRunner({ ...key, runner: 'server' });
    expect(await listServedImprovements({ store })).toHaveLength(1);
    await changeImprovementRunner({ ...key, runner: 'server-paused', problem: 'the engine is away' });
    expect(await listServedImprovements({ store })).toEqual([]);
    expect(await findImprovement({ ...key, ref: 'helper' })).toMatchObject({
      ...{ problem: 'the engine is away', runner: 'server-paused' },
    });
  });

  it('shows no replies to a prompt that was forgotten', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const held = await hold(store, improvement.improvementId);
    const example = (id: string) => ({ trajectory_id: id, prompt: 'p', before: 'b', after: 'a' });
    const content = { items: 2, examples: [example('one'), example('two')] };
    await advanceImprovement({ ...held, from: 'collect', content, to: { stage: 'filter' } });
    await forgetExamples({ store, tenantId: 'other', trajectoryIds: ['one'] });
    await forgetExamples({ store, tenantId, trajectoryIds: ['one'] });
    const [kept] = (await findImprovement({ store, tenantId, ref: 'helper' }))?.stages ?? [];
    expect(kept?.content).toEqual({ items: 2, examples: [example('two')] });
  });
});
