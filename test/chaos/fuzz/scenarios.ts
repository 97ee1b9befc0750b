import type { Scenario } from '../../scenarios/scenario.ts';
import { gzipBombScenario } from './scenarios/gzip-bomb.ts';
import { neighbourMutantsScenario, neighboursScenario } from './scenarios/neighbours.ts';
import { routeCaseScenarios } from './scenarios/route-cases.ts';
import { seededFaultScenario } from './scenarios/seeded-faults.ts';
import { serverCaseScenarios } from './scenarios/server-cases.ts';

export const scenarios: readonly Scenario[] = [
  ...routeCaseScenarios,
  ...serverCaseScenarios,
  gzipBombScenario,
  seededFaultScenario,
  neighboursScenario,
  neighbourMutantsScenario,
];
