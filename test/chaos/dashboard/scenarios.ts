import type { Scenario } from '../../scenarios/scenario.ts';
import { payloadsScenario } from './scenarios/payloads.ts';
import { ratersScenario } from './scenarios/raters.ts';
import { restartScenario } from './scenarios/restart.ts';
import { strangersScenario } from './scenarios/strangers.ts';

/** `pnpm chaos dashboard`: the page among hostile texts, strangers, a server that dies and a second rater. */
export const scenarios: Scenario[] = [payloadsScenario, strangersScenario, restartScenario, ratersScenario];
