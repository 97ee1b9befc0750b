import type { Scenario } from '../../scenarios/scenario.ts';
import { attackScenario } from './scenarios/attacks.ts';
import { mutantScenario } from './scenarios/mutants.ts';

/** `pnpm chaos agent-attacks`: an agent that wants code, files, addresses and keys that are not its own. */
export const scenarios: Scenario[] = [attackScenario, mutantScenario];
