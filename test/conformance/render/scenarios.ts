import type { Scenario } from '../../scenarios/scenario.ts';
import { callsScenario } from './scenarios/calls.ts';
import { masksScenario } from './scenarios/masks.ts';
import { templatesScenario } from './scenarios/templates.ts';
import { tokensScenario } from './scenarios/tokens.ts';

/** `pnpm conformance render`: between messages and tokens as Python has it, quickest first. */
export const scenarios: Scenario[] = [callsScenario, templatesScenario, tokensScenario, masksScenario];
