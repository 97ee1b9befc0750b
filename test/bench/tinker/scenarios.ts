import type { Scenario } from '../../scenarios/scenario.ts';
import { heartbeatScenario } from './scenarios/heartbeat.ts';
import { samplesScenario } from './scenarios/samples.ts';
import { submitScenario } from './scenarios/submit.ts';

/** `pnpm bench tinker`: what the client costs, and that it stays alive. */
export const scenarios: Scenario[] = [submitScenario, samplesScenario, heartbeatScenario];
