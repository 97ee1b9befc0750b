import { expect, test } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.case.ts';
import { claimRun } from './run-claim.ts';

const RUN = { tenantId: 'local', runId: 'run', seconds: 60 };

describeOnEachDialect('the claim of a run', (createTarget) => {
  test('belongs to one holder until it is given back', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const first = await claimRun({ ...RUN, store, holder: 'a' });
    if ('heldBy' in first) throw new Error('nobody had it');
    expect(await claimRun({ ...RUN, store, holder: 'b' })).toEqual({ heldBy: 'a' });
    expect(await first.renew()).toBe(true);
    await first.release();
    expect(await claimRun({ ...RUN, store, holder: 'b' })).not.toHaveProperty('heldBy');
    expect(await first.renew()).toBe(false);
  });

  test('goes to the next one when its holder is gone or its time is over', async () => {
    await using target = await createTarget();
    const store = await target.open();
    await claimRun({ ...RUN, store, holder: 'a' });
    expect(await claimRun({ ...RUN, store, holder: 'b', isGone: (holder) => holder === 'a' })).not.toHaveProperty(
      'heldBy',
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await claimRun({ ...RUN, store, holder: 'c', seconds: 0.001 })).not.toHaveProperty('heldBy');
  });

  test('goes to one of many who ask at once', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const asked = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => claimRun({ ...RUN, store, holder })));
    expect(asked.filter((claim) => !('heldBy' in claim))).toHaveLength(1);
  });
});
