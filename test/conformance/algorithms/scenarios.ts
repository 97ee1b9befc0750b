import type { Scenario } from '../../scenarios/scenario.ts';
import { papersScenario } from './scenarios/papers.ts';
import { toysScenario } from './scenarios/toys.ts';
import { trlScenario } from './scenarios/trl.ts';
import { weightsScenario } from './scenarios/weights.ts';

/** `pnpm conformance algorithms`: what each algorithm does to a policy, beside the formulas of its paper and the code of TRL. */
export const scenarios: Scenario[] = [papersScenario, trlScenario, toysScenario, weightsScenario];
