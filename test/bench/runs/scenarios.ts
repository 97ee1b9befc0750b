import type { Scenario } from '../../scenarios/scenario.ts';
import { keepingScenario } from './scenarios/keeping.ts';
import { readingScenario } from './scenarios/reading.ts';

/** `pnpm bench runs`: what it costs to keep what a run was trained on, and how soon it is read. */
export const scenarios: Scenario[] = [keepingScenario, readingScenario];
