import { createNamespaceProvider } from '@lachesis/sdk/sandbox';

import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const BATCHES = 3;
const STARTS = 15;
const BAR_MS = 30;

/** How long a rollout waits for its sandbox. */
export const startScenario: Scenario = {
  name: 'start',
  title: 'a namespace sandbox starts within 30 ms in the median',
  async run(context) {
    const provider = createNamespaceProvider();
    context.defer(() => provider.close());
    const batches: { start: number; exec: number }[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const starts: number[] = [];
      const execs: number[] = [];
      for (let count = 0; count < STARTS; count += 1) {
        const before = performance.now();
        const sandbox = await provider.create({ owner: 'chaos-sandbox' });
        const between = performance.now();
        await sandbox.exec('true');
        starts.push(between - before);
        execs.push(performance.now() - between);
        await sandbox.destroy();
      }
      batches.push({ start: findMedian(starts), exec: findMedian(execs) });
    }
    const start = findMedian(batches.map((each) => each.start));
    const exec = findMedian(batches.map((each) => each.exec));
    const all = describeRounds(batches.map((each) => each.start));
    context.report({
      name: 'start',
      figure: `${start.toFixed(1)} ms in the median (${all}), and ${exec.toFixed(1)} ms for a command`,
      bar: `≤ ${BAR_MS} ms`,
      ok: start <= BAR_MS,
      onlyByClock: true,
    });
  },
};
