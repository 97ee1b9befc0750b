import type { Scenario } from '../../scenarios/scenario.ts';
import { killScenario, mutantScenario } from './scenarios/kills.ts';

/** `pnpm chaos leak`: what a killed process leaves of its sandboxes. */
export const scenarios: Scenario[] = [killScenario, mutantScenario];
