import type { Scenario } from '../../../scenarios/scenario.ts';
import { comparePackingVectors } from '../packing-vectors.ts';
import { verifies } from '../requirements.ts';

/** 300 subsets, 400 exact packings, 600 with minimums. */
const CASES = 1300;

export const packingScenario: Scenario = {
  name: 'packing',
  title: "the answers of the original's packing functions, case by case",
  run(context) {
    verifies('subset-choice', 'exact-packing', 'minimum-packing');
    const { cases, differences } = comparePackingVectors();
    for (const difference of differences.slice(0, 10)) context.log(difference);
    context.report({
      name: 'packing',
      figure: `${cases} cases, ${differences.length} differences`,
      bar: `${CASES} cases, 0 differences`,
      ok: cases === CASES && differences.length === 0,
    });
    return Promise.resolve();
  },
};
