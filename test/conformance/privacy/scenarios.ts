import type { Scenario } from '../../scenarios/scenario.ts';
import { redactionScenario } from './scenarios/redaction.ts';
import { waysInScenario } from './scenarios/ways-in.ts';

/** `pnpm conformance privacy`: what is taken out of records before they are kept. */
export const scenarios: Scenario[] = [redactionScenario, waysInScenario];
