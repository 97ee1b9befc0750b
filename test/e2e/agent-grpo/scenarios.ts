import type { Scenario } from '../../scenarios/scenario.ts';
import { learnsScenario } from './scenarios/learns.ts';
import { rewardScenario } from './scenarios/reward.ts';
import { tokensScenario } from './scenarios/tokens.ts';

/** `pnpm e2e agent-grpo`: an agent with a tool is trained, on the tokens that were sampled and for what it was meant to do. */
export const scenarios: Scenario[] = [rewardScenario, tokensScenario, learnsScenario];
