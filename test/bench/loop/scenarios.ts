import type { Scenario } from '../../scenarios/scenario.ts';
import { curveScenario } from './scenarios/curve.ts';
import { rolloutsScenario } from './scenarios/rollouts.ts';
import { trainerScenario } from './scenarios/trainer.ts';

/** `pnpm bench loop`: the whole loop beside the Python way. */
export const scenarios: Scenario[] = [trainerScenario, rolloutsScenario, curveScenario];
