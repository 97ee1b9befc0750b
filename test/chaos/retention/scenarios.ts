import type { Scenario } from '../../scenarios/scenario.ts';
import { coldScenario } from './scenarios/cold.ts';
import { killScenario } from './scenarios/kills.ts';
import { liveScenario } from './scenarios/live.ts';
import { mutantScenario } from './scenarios/mutants.ts';

/** `pnpm chaos retention`: old rows and payloads go, and nothing else does. */
export const scenarios: Scenario[] = [liveScenario, killScenario, coldScenario, mutantScenario];
