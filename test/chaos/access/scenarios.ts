import type { Scenario } from '../../scenarios/scenario.ts';
import { matrixScenario } from './scenarios/matrix.ts';
import { seededFaultsScenario } from './scenarios/seeded-faults.ts';
import { streamsScenario } from './scenarios/streams.ts';
import { tenantsScenario } from './scenarios/tenants.ts';

export const scenarios: readonly Scenario[] = [matrixScenario, tenantsScenario, streamsScenario, seededFaultsScenario];
