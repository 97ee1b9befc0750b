import { randomUUID } from 'node:crypto';

import { findQuantile } from '../../../kit/quantiles.ts';
import { reportTimed, watchNeighbours } from '../../../kit/report-timed.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { makeUnnamedGroup, packGroup } from '../../trajectory-api/native/make-packed-group.ts';
import { fillHistory } from '../load/fill-history.ts';
import { SEQUENCES } from '../load/offer-groups.ts';
import { GROUPS_PER_BATCH, openPlace, type Place } from '../load/open-place.ts';

const TIMES = 1.5;

/** Whether a run with a long past and a long queue answers as one without. */
export const historyScenario: Scenario = {
  name: 'history',
  title: 'Push and lease with many finished and waiting groups, beside a run that has none.',
  async run(context) {
    const filled = context.full ? { finished: 1_000_000, waiting: 100_000 } : { finished: 50_000, waiting: 5_000 };
    const rounds = context.full ? 60 : 20;
    const settings = { LACHESIS_MAX_QUEUED_GROUPS: '1000000' };
    const empty = await openPlace(context, { size: 1, settings });
    const full = await openPlace(context, { size: 1, settings });
    for (const place of [empty, full]) await pushMany(place, 1);
    await fillHistory(full, filled);
    for (const place of [empty, full]) await place.restart();
    const places = [empty, full].map((place) => ({ place, pushes: [] as number[], leases: [] as number[] }));
    // The first of each loads the run and compiles what it runs.
    for (const { place } of places) await takeBatches(place, await pushMany(place, GROUPS_PER_BATCH * 4));
    const countForeign = watchNeighbours(empty.ownRoots);
    for (let round = 0; round < rounds; round += 1) {
      for (const { place, pushes, leases } of places) {
        const times = await pushMany(place, GROUPS_PER_BATCH * 2);
        pushes.push(...times);
        leases.push(...(await takeBatches(place, times)));
      }
    }
    const foreign = countForeign();
    const size = `${filled.finished.toLocaleString('en')} finished, ${filled.waiting.toLocaleString('en')} waiting`;
    for (const what of ['pushes', 'leases'] as const) {
      const [before = 0, after = 0] = places.map((of) => findQuantile(of[what], 0.99));
      const name = `${what === 'pushes' ? 'push' : 'lease'} p99, ${size}`;
      const figure = `${(after / before).toFixed(2)}× (${after.toFixed(1)} against ${before.toFixed(1)} ms)`;
      reportTimed(context, { name, figure, bar: `≤ ${TIMES}×`, ok: after / before <= TIMES }, foreign);
    }
  },
};

const content = makeUnnamedGroup({ sequences: SEQUENCES, tokens: 16, seed: 1 });

/** One after the other; resolves with what each took. */
async function pushMany({ clients: [client] }: Place, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const key = randomUUID();
    const body = packGroup(content, { groupId: key, environment: 'bench' });
    const startedAt = performance.now();
    const reply = await client?.push({ body, key });
    if (reply?.status !== 200) throw new Error(`POST /v1/groups answered ${reply?.status} ${reply?.body.toString()}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Takes as many batches as those pushes made, and resolves with what each lease took. */
async function takeBatches({ clients: [client] }: Place, pushes: readonly number[]): Promise<number[]> {
  const times: number[] = [];
  for (let batches = pushes.length / GROUPS_PER_BATCH; batches >= 1; batches -= 1) {
    const startedAt = performance.now();
    const batch = await client?.lease({ waitSeconds: 0, leaseSeconds: 60 });
    times.push(performance.now() - startedAt);
    if (batch === null || batch === undefined) throw new Error('no batch, although the groups of one wait');
    await client?.acknowledge(batch);
  }
  return times;
}
