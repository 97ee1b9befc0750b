import type { Scenario } from '../../scenarios/scenario.ts';
import { backendScenario } from './scenarios/backends.ts';
import { diffScenario } from './scenarios/diff.ts';
import { escapeScenario } from './scenarios/escapes.ts';
import { fileScenario } from './scenarios/file-functions.ts';
import { raceScenario } from './scenarios/grading-race.ts';
import { limitScenario } from './scenarios/limits.ts';
import { mutantScenario } from './scenarios/mutants.ts';
import { ordinaryScenario } from './scenarios/ordinary-user.ts';
import { programScenario } from './scenarios/programs.ts';
import { startScenario } from './scenarios/start.ts';

/** `pnpm chaos sandbox`: code that wants out, or wants more than its share, in the sandboxes that hold model code. */
export const scenarios: Scenario[] = [
  escapeScenario,
  ordinaryScenario,
  fileScenario,
  limitScenario,
  mutantScenario,
  backendScenario,
  raceScenario,
  diffScenario,
  programScenario,
  startScenario,
];
