import type { Scenario } from '../../scenarios/scenario.ts';
import { diskFullScenario } from './scenarios/disk-full.ts';
import { killScenario } from './scenarios/kills.ts';
import { mutantScenario } from './scenarios/mutants.ts';
import { partitionScenario } from './scenarios/partition.ts';
import { responseLossScenario } from './scenarios/response-loss.ts';

export const scenarios: Scenario[] = [
  killScenario,
  responseLossScenario,
  diskFullScenario,
  partitionScenario,
  mutantScenario,
];
