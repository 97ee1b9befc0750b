import type { Scenario } from '../../scenarios/scenario.ts';
import { holdersScenario } from './scenarios/holders.ts';
import { mutantsScenario, oneNameScenario } from './scenarios/one-name.ts';

/** `pnpm chaos leases`: who lost a lease writes nothing. */
export const scenarios: Scenario[] = [holdersScenario, oneNameScenario, mutantsScenario];
