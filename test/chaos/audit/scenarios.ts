import type { Scenario } from '../../scenarios/scenario.ts';
import { changesScenario } from './scenarios/changes.ts';
import { costScenario } from './scenarios/cost.ts';

export const scenarios: Scenario[] = [changesScenario, costScenario];
