import type { Scenario } from '../../scenarios/scenario.ts';
import { browserScenario } from './scenarios/browser.ts';
import { faultScenario } from './scenarios/faults.ts';
import { trickScenario } from './scenarios/tricks.ts';

/** `pnpm chaos egress`: who sits behind the proxy of a rollout and wants to be elsewhere. */
export const scenarios: Scenario[] = [trickScenario, faultScenario, browserScenario];
