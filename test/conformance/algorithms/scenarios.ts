import type { Scenario } from '../../scenarios/scenario.ts';
import { papersScenario } from './scenarios/papers.ts';
import { toysScenario } from './scenarios/toys.ts';
import { weightsScenario } from './scenarios/weights.ts';

/** `pnpm conformance algorithms`: what each algorithm does to a policy, beside the formulas of its paper. */
export const scenarios: Scenario[] = [papersScenario, toysScenario, weightsScenario];
