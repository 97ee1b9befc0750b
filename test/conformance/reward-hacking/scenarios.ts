import type { Scenario } from '../../scenarios/scenario.ts';
import { hacksScenario } from './scenarios/hacks.ts';
import { honestScenario } from './scenarios/honest.ts';
import { mutantScenario } from './scenarios/mutants.ts';

/** `pnpm conformance reward-hacking`: who wants the reward without the work, in the two environments of ours for agents. */
export const scenarios: Scenario[] = [honestScenario, hacksScenario, mutantScenario];
