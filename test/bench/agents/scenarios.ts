import type { Scenario } from '../../scenarios/scenario.ts';
import { overheadScenario } from './scenarios/overhead.ts';
import { rolloutsScenario } from './scenarios/rollouts.ts';

/** `pnpm bench agents`: what a rollout of model and tools costs besides the model and the tools. */
export const scenarios: Scenario[] = [overheadScenario, rolloutsScenario];
