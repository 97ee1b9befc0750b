import type { Scenario } from '../../scenarios/scenario.ts';
import { advantagesScenario } from './scenarios/advantages.ts';
import { lossesScenario } from './scenarios/losses.ts';

/** `pnpm conformance losses`: the numbers that training follows, beside the papers' formulas in numpy. */
export const scenarios: Scenario[] = [lossesScenario, advantagesScenario];
