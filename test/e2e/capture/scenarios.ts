import type { Scenario } from '../../scenarios/scenario.ts';
import { agentsScenario } from './scenarios/agents.ts';
import { redactionScenario } from './scenarios/redaction.ts';
import { survivalScenario } from './scenarios/survival.ts';

/** `pnpm e2e capture`: what agents did is in the library, whatever happened to them, and no secret with it. */
export const scenarios: Scenario[] = [agentsScenario, survivalScenario, redactionScenario];
