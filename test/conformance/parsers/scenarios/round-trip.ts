import { createToolCallParser } from '@lachesis/sdk/render';

import type { Scenario } from '../../../scenarios/scenario.ts';
import { checkRoundTrip } from '../check-round-trip.ts';
import { callWriters } from '../corpus/call-writer.ts';

const COUNT = 400;
const FULL_COUNT = 10_000;
const SEED = 8;

export const roundTripScenario: Scenario = {
  name: 'round-trip',
  title: 'made-up calls, printed by the template of each format, are read back as they were meant',
  run(context) {
    const count = context.full ? FULL_COUNT : COUNT;
    for (const writer of callWriters) {
      const failures = checkRoundTrip({ writer, createParser: createToolCallParser, count, seed: SEED });
      for (const failure of failures.slice(0, 5)) context.log(failure);
      context.report({
        name: `${writer.format} round trip`,
        figure: `${failures.length} of ${count} replies came back otherwise`,
        bar: '0',
        ok: failures.length === 0,
      });
    }
    return Promise.resolve();
  },
};
