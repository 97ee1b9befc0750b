import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { reportTimed, watchNeighbours } from '../../../kit/report-timed.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import type { NativeClient } from '../../trajectory-api/native/native-client.ts';
import { offerGroups } from '../load/offer-groups.ts';
import { openPlace, type Place } from '../load/open-place.ts';

const OWNER_TIMES = 1.15;
const FORWARDED_TIMES = 1.3;
const RATE = 60;
const WARM_UP = 600;

/** What a group costs where three servers share the run: at its owner, and at the others, which ask the owner. */
export const cpuScenario: Scenario = {
  name: 'cpu',
  title: 'Processor time of a group over three servers, beside one process; all that serve are counted, idle ones too.',
  async run(context) {
    const groups = context.full ? 1_200 : 150;
    const rounds = context.full ? 5 : 2;
    const one = await openPlace(context, { size: 1 });
    const three = await openPlace(context, {});
    // Code that has run a few hundred times is what a server that is up has; what it costs before that says nothing of forwarding.
    for (const { clients } of [one, three, three]) await offerGroups({ clients, groups: WARM_UP, rate: RATE * 2 });
    const { owner, others } = await three.findOwner();
    const cases: { name: string; place: Place; clients: readonly NativeClient[]; costs: number[] }[] = [
      { name: 'one', place: one, clients: one.clients, costs: [] },
      { name: 'owner', place: three, clients: [owner], costs: [] },
      { name: 'forwarded', place: three, clients: others, costs: [] },
    ];
    const countForeign = watchNeighbours(one.ownRoots);
    for (let round = 0; round < rounds; round += 1) {
      for (const { place, clients, costs } of cases) {
        const before = place.cpuSeconds();
        await offerGroups({ clients, groups, rate: RATE });
        costs.push(((place.cpuSeconds() - before) * 1000) / groups);
      }
    }
    const foreign = countForeign();
    const [alone = [], atOwner = [], forwarded = []] = cases.map(({ costs }) => costs);
    for (const { name, costs, times } of [
      { name: 'cpu at the owner', costs: atOwner, times: OWNER_TIMES },
      { name: 'cpu where forwarded', costs: forwarded, times: FORWARDED_TIMES },
    ]) {
      const [ms, aloneMs] = [findMedian(costs), findMedian(alone)];
      const figure = `${(ms / aloneMs).toFixed(2)}× (${ms.toFixed(2)} against ${aloneMs.toFixed(2)} ms a group, push and batch; ${describeRounds(costs, 2)} against ${describeRounds(alone, 2)})`;
      reportTimed(context, { name, figure, bar: `≤ ${times}×`, ok: ms / aloneMs <= times }, foreign);
    }
  },
};
