import type { Scenario } from '../../scenarios/scenario.ts';
import { gatewayScenario } from './scenarios/gateway.ts';
import { libraryScenario } from './scenarios/library.ts';

/** `pnpm bench capture`. */
export const scenarios: Scenario[] = [gatewayScenario, libraryScenario];
