import { createControlClient } from '@lachesis/sdk';
import { findQuantile } from '../../../kit/quantiles.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { fillStore, GROUPS, STEPS } from '../fill-store.ts';

const MOST_MS = 100;
const RUN = 'bench';

/** A step of a long run, read over HTTP by the client that people use. */
export const readingScenario: Scenario = {
  name: 'reading',
  title: 'a step of 1,000 × 128 groups is read within 100 ms',
  async run(context) {
    const home = await context.scratch();
    await fillStore({ home, run: RUN });
    context.log(`${STEPS} steps of ${GROUPS} groups are written`);
    const control = await startControlServer({ home });
    context.defer(() => control.process.stop().then(() => undefined));
    const client = createControlClient({ url: control.url });
    await waitForCalm(context.full);
    const calls = context.full ? 1_000 : 200;
    const steps = await time(calls, async (call) => {
      // Far from one another, so that none is warm because of the one before.
      const { groups } = await client.readStep(RUN, ((call * 389) % STEPS) + 1);
      if (groups.length !== GROUPS) throw new Error(`${groups.length} groups came instead of ${GROUPS}`);
      return groups[call % GROUPS]?.group_id ?? '';
    });
    const lists = await time(calls / 10, async () => void (await client.listSteps(RUN)));
    const items = await time(calls / 10, async (call) => void (await client.listSteps(RUN, { item: `train-${call}` })));
    const groups = await time(
      calls / 10,
      async (call) => void (await client.readGroup(RUN, steps.answers[call] ?? '')),
    );
    const p95 = findQuantile(steps.milliseconds, 0.95);
    const others = [lists, items, groups].map(({ milliseconds }) => findQuantile(milliseconds, 0.95).toFixed(0));
    context.report({
      name: `GET /runs/{id}/steps/{n}, ${STEPS} steps × ${GROUPS} groups`,
      figure:
        `p95 ${p95.toFixed(0)} ms, p50 ${findQuantile(steps.milliseconds, 0.5).toFixed(0)} ms; ` +
        `p95 of a list ${others[0]}, of an item ${others[1]}, of a group ${others[2]} ms`,
      bar: `p95 ≤ ${MOST_MS} ms`,
      ok: p95 <= MOST_MS,
    });
  },
};

async function time<T>(
  calls: number,
  call: (index: number) => Promise<T>,
): Promise<{ milliseconds: number[]; answers: T[] }> {
  const milliseconds: number[] = [];
  const answers: T[] = [];
  for (let index = 0; index < calls; index += 1) {
    const started = performance.now();
    answers.push(await call(index));
    milliseconds.push(performance.now() - started);
  }
  return { milliseconds, answers };
}
