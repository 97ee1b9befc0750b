import type { Scenario } from '../../scenarios/scenario.ts';
import { clientsScenario } from './scenarios/clients.ts';
import { engineScenario } from './scenarios/engine.ts';
import { managedScenario } from './scenarios/managed.ts';
import { tokensScenario } from './scenarios/tokens.ts';
import { turnsScenario } from './scenarios/turns.ts';

/** `pnpm conformance inference`: what clients of the inference server are promised. */
export const scenarios: Scenario[] = [clientsScenario, engineScenario, managedScenario, tokensScenario, turnsScenario];
