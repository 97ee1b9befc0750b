import type { Scenario } from '../../scenarios/scenario.ts';
import { checkScenario } from './scenarios/check.ts';
import { loadScenario } from './scenarios/load.ts';
import { templatesScenario } from './scenarios/templates.ts';
import { trainersScenario } from './scenarios/trainers.ts';

/** `pnpm conformance datasets`: what the programs that read our exports find in them. */
export const scenarios: Scenario[] = [checkScenario, loadScenario, templatesScenario, trainersScenario];
