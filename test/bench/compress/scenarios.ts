import type { Scenario } from '../../scenarios/scenario.ts';
import { memoryScenario } from './scenarios/memory.ts';
import { rowsScenario } from './scenarios/rows.ts';

/** `pnpm bench compress`: rows a second beside Hermes, and memory. */
export const scenarios: Scenario[] = [rowsScenario, memoryScenario];
