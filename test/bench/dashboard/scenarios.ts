import type { Scenario } from '../../scenarios/scenario.ts';
import { ratingScenario } from './scenarios/rating.ts';
import { readingScenario } from './scenarios/reading.ts';
import { streamsScenario } from './scenarios/streams.ts';
import { viewsScenario } from './scenarios/views.ts';

/** `pnpm bench dashboard`. */
export const scenarios: Scenario[] = [readingScenario, ratingScenario, viewsScenario, streamsScenario];
