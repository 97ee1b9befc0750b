import { describeRounds, findMedian, findQuantile } from '../../../kit/quantiles.ts';
import { reportTimed, watchNeighbours } from '../../../kit/report-timed.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { offerGroups } from '../load/offer-groups.ts';
import { openPlace } from '../load/open-place.ts';

const RATE = 100;
const TIMES = 1.5;

/** How long a push takes at a rate that one process carries, and what is carried at most. */
export const offeredScenario: Scenario = {
  name: 'offered',
  title: 'Pushes at 100 groups a second and as fast as they go: three servers called in turn, beside one process.',
  async run(context) {
    const groups = context.full ? 3_000 : 400;
    const rounds = context.full ? 5 : 3;
    const places = [await openPlace(context, { size: 1 }), await openPlace(context, {})];
    const measured = places.map(() => ({ p99: [] as number[], rates: [] as number[], perCore: [] as number[] }));
    for (const { clients } of places) await offerGroups({ clients, groups: 60, rate: 60 });
    const countForeign = watchNeighbours(places[0]?.ownRoots ?? []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, place] of places.entries()) {
        const of = measured[index];
        if (of === undefined) continue;
        const { latenciesMs } = await offerGroups({ clients: place.clients, groups, rate: RATE });
        of.p99.push(findQuantile(latenciesMs, 0.99));
        const before = place.cpuSeconds();
        const { seconds } = await offerGroups({ clients: place.clients, groups });
        of.rates.push(groups / seconds);
        of.perCore.push(groups / (place.cpuSeconds() - before));
      }
    }
    const [one, three] = measured.map(({ p99, rates, perCore }) => ({
      ...{ rounds: p99, p99: findMedian(p99), rate: findMedian(rates), perCore: findMedian(perCore) },
    }));
    if (one === undefined || three === undefined) return;
    const figure = `${(three.p99 / one.p99).toFixed(2)}× (${three.p99.toFixed(0)} against ${one.p99.toFixed(0)} ms; ${describeRounds(three.rounds, 0)} against ${describeRounds(one.rounds, 0)})`;
    const ok = three.p99 / one.p99 <= TIMES;
    reportTimed(context, { name: `push p99 at ${RATE} groups/s`, figure, bar: `≤ ${TIMES}×`, ok }, countForeign());
    context.report({
      name: 'throughput',
      figure: `three ${three.rate.toFixed(0)} groups/s, ${three.perCore.toFixed(0)} a second of one core; one ${one.rate.toFixed(0)}, ${one.perCore.toFixed(0)}; generator and database on the same machine`,
      bar: 'printed',
      ok: true,
    });
  },
};
