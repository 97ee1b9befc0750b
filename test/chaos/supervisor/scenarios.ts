import type { Scenario } from '../../scenarios/scenario.ts';
import { fencingScenario } from './scenarios/fencing.ts';
import { childKillScenario, serverKillScenario } from './scenarios/kills.ts';
import { mutantScenario } from './scenarios/mutants.ts';
import { realStationScenario } from './scenarios/real-stations.ts';
import { stopAloneScenario } from './scenarios/stop-alone.ts';
import { trainAloneScenario } from './scenarios/train-alone.ts';

export const scenarios: Scenario[] = [
  serverKillScenario,
  childKillScenario,
  fencingScenario,
  stopAloneScenario,
  trainAloneScenario,
  mutantScenario,
  realStationScenario,
];
