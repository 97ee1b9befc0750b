import type { Scenario } from '../../scenarios/scenario.ts';
import { skyrlScenario } from './scenarios/skyrl.ts';
import { tuftScenario } from './scenarios/tuft.ts';

/** `pnpm conformance tinker`: what the client meets on real servers, and what it makes of it. */
export const scenarios: Scenario[] = [tuftScenario, skyrlScenario];
