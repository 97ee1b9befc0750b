import type { Scenario } from '../../scenarios/scenario.ts';
import { killScenario } from './scenarios/kills.ts';
import { mutantScenario } from './scenarios/mutants.ts';
import { partScenario } from './scenarios/parts.ts';
import { upgradeScenario } from './scenarios/upgrade.ts';

/** `pnpm chaos replicas`: three trajectory APIs over one PostgreSQL share their runs. */
export const scenarios: Scenario[] = [killScenario, partScenario, mutantScenario, upgradeScenario];
