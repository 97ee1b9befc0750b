import { createToolCallParser } from '@lachesis/sdk/render';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkMutations } from '../check-mutations.ts';
import { GROWTH, GROWTH_LIMIT, WORTH_MS, checkTime } from '../check-time.ts';
import { callWriters } from '../corpus/call-writer.ts';
import { corpora } from '../corpus/corpora.ts';

/** Of each of the eleven formats: together above 10,000. */
const COUNT = 1_000;
const FULL_COUNT = 30_000;
const SLOWEST_MS = 1_000;
const SEED = 8;

export const fuzzScenario: Scenario = {
  name: 'fuzz',
  title:
    'damaged replies: nothing throws, nothing is dropped, nothing hangs, and time grows with the text and not faster',
  run(context) {
    const count = context.full ? FULL_COUNT : COUNT;
    const results = corpora.map((corpus) =>
      checkMutations({ corpus, createParser: createToolCallParser, count, seed: SEED }),
    );
    const failures = results.flatMap((result) => result.failures);
    for (const failure of failures.slice(0, 10)) context.log(failure);
    const replies = results.reduce((sum, result) => sum + result.replies, 0);
    const slowestMs = Math.max(...results.map((result) => result.slowestMs));
    context.report({
      name: 'damaged replies',
      figure: `${failures.length} failures in ${replies} replies, the slowest ${slowestMs.toFixed(0)} ms`,
      bar: `0 failures in at least 10000, each within ${SLOWEST_MS} ms`,
      ok: failures.length === 0 && replies >= 10_000 && slowestMs <= SLOWEST_MS,
    });

    const times = callWriters.map((writer) => checkTime(writer, createToolCallParser));
    const slow = times.flatMap((result) => result.failures);
    for (const failure of slow) context.log(failure);
    const worst = Math.max(...times.map((result) => result.worst));
    const patterns = times.reduce((sum, result) => sum + result.patterns, 0);
    context.report({
      name: 'time',
      figure:
        `${slow.length} of ${patterns} patterns grow faster than the text (${worst === 0 ? `none takes ${WORTH_MS} ms` : `worst ${worst.toFixed(1)} times for ${GROWTH} times`}), ` +
        `the slowest 384 KB take ${Math.max(...times.map((result) => result.slowestMs)).toFixed(0)} ms`,
      bar: `0; ${GROWTH_LIMIT} times for ${GROWTH} times the text is too fast`,
      ok: slow.length === 0,
    });
    return Promise.resolve();
  },
};
