import type { Scenario } from '../../scenarios/scenario.ts';
import { batchMutantsScenario, batchScenario } from './batch-scenarios.ts';
import { compressScenario } from './compress-scenarios.ts';

/** `pnpm chaos batch`: kill -9 of what works in bulk. */
export const scenarios: Scenario[] = [batchScenario, batchMutantsScenario, compressScenario];
