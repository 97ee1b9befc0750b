import type { Scenario } from '../../scenarios/scenario.ts';
import { callsScenario } from './scenarios/calls.ts';
import { faultsScenario } from './scenarios/faults.ts';
import { mcpScenario } from './scenarios/mcp.ts';
import { realScenario } from './scenarios/real.ts';

/** `pnpm conformance control`: what programs and agents are promised by the control API and its tools. */
export const scenarios: Scenario[] = [callsScenario, mcpScenario, realScenario, faultsScenario];
