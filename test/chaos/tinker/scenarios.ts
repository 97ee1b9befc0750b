import type { Scenario } from '../../scenarios/scenario.ts';
import { killScenario } from './scenarios/kills.ts';
import { mutantScenario } from './scenarios/mutants.ts';
import { stormScenario } from './scenarios/storm.ts';

/** `pnpm chaos tinker`: the client between a program that trains and servers that cannot be reached as they should. */
export const scenarios: Scenario[] = [stormScenario, killScenario, mutantScenario];
