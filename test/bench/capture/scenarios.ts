import type { Scenario } from '../../scenarios/scenario.ts';
import { datasetsScenario } from './scenarios/datasets.ts';
import { gatewayScenario } from './scenarios/gateway.ts';
import { libraryScenario } from './scenarios/library.ts';

/** `pnpm bench capture`. */
export const scenarios: Scenario[] = [gatewayScenario, libraryScenario, datasetsScenario];
