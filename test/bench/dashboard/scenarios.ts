import type { Scenario } from '../../scenarios/scenario.ts';
import { ratingScenario } from './scenarios/rating.ts';
import { readingScenario } from './scenarios/reading.ts';

/** `pnpm bench dashboard`. */
export const scenarios: Scenario[] = [readingScenario, ratingScenario];
