import { expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeOnEachDialect } from '../testing/test-stores.case.ts';
import { findImprovement, listImprovements } from './find-improvements.ts';
import { advanceImprovement, releaseImprovement, renewImprovement, takeImprovement } from './hold-improvement.ts';
import { startImprovement } from './start-improvement.ts';

const tenantId = 't';
const begin = { tenantId, model: 'helper', plan: { method: 'dpo' }, stage: 'collect' };

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
    const taken = await Promise.all(['a', 'b', 'c'].map((holder) => takeImprovement({ ...key, holder, seconds: 0.2 })));
    const [first] = taken.filter((one) => one !== undefined);
    expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
    const old = { ...key, holder: first?.holder ?? '', epoch: first?.epoch ?? 0 };
    expect(await renewImprovement({ ...old, seconds: 0.2 })).toBe(true);
    expect(await takeImprovement({ ...key, holder: 'late', seconds: 1 })).toBeUndefined();
    await sleep(300);
    const next = await takeImprovement({ ...key, holder: 'd', seconds: 60 });
    expect(next?.epoch).toBe(2);
    expect(await advanceImprovement({ ...old, from: 'collect', content: {}, to: { stage: 'filter' } })).toBe(false);
    expect(await renewImprovement({ ...old, seconds: 60 })).toBe(false);
    expect(await releaseImprovement(old)).toBe(false);
    const isGone = (holder: string): boolean => holder === 'd';
    expect((await takeImprovement({ ...key, holder: 'e', seconds: 60, isGone }))?.epoch).toBe(3);
  });

  it('writes a stage down once and goes on with the next', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const key = { store, tenantId, improvementId: improvement.improvementId };
    const taken = await takeImprovement({ ...key, holder: 'a', seconds: 60 });
    const held = { ...key, holder: 'a', epoch: taken?.epoch ?? 0 };
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
    const key = { store, tenantId, improvementId: improvement.improvementId };
    const taken = await takeImprovement({ ...key, holder: 'a', seconds: 60 });
    const held = { ...key, holder: 'a', epoch: taken?.epoch ?? 0 };
    const to = { outcome: 'too-few-ratings', reason: '2 of 20' };
    expect(await advanceImprovement({ ...held, from: 'collect', content: {}, to })).toBe(true);
    expect(await advanceImprovement({ ...held, from: 'collect', content: {}, to })).toBe(false);
    expect(await takeImprovement({ ...key, holder: 'b', seconds: 60 })).toBeUndefined();
    expect(await findImprovement({ store, tenantId, ref: improvement.improvementId })).toMatchObject(to);
    expect((await startImprovement({ store, ...begin })).isNew).toBe(true);
  });

  it('keeps what stopped it until it goes on', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { improvement } = await startImprovement({ store, ...begin });
    const key = { store, tenantId, improvementId: improvement.improvementId };
    const taken = await takeImprovement({ ...key, holder: 'a', seconds: 60 });
    await releaseImprovement({ ...key, holder: 'a', epoch: taken?.epoch ?? 0, problem: 'the engine is away' });
    expect(await findImprovement({ store, tenantId, ref: 'helper' })).toMatchObject({
      problem: 'the engine is away',
      holder: null,
      endedAt: null,
    });
  });
});
