import type { Scenario } from '../../scenarios/scenario.ts';
import { helpScenario } from './scenarios/help.ts';
import { runsScenario } from './scenarios/runs.ts';

/** `pnpm bench cli`. */
export const scenarios: Scenario[] = [helpScenario, runsScenario];
