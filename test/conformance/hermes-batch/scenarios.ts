import type { Scenario } from '../../scenarios/scenario.ts';
import { batchScenario } from './batch-scenarios.ts';
import { compressScenario } from './compress-scenarios.ts';

/** `pnpm conformance hermes-batch`: the real hermes-agent 0.19.0 and ours, in bulk. */
export const scenarios: Scenario[] = [batchScenario, compressScenario];
