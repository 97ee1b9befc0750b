import type { Scenario } from '../../scenarios/scenario.ts';
import { killsScenario } from './scenarios/kills.ts';
import { linesScenario } from './scenarios/lines.ts';
import { chainsScenario, speedScenario } from './scenarios/speed.ts';
import { staleScenario } from './scenarios/stale.ts';

/** `pnpm bench jobs`: our queue of items and our chains of stages, beside pg-boss and DBOS over one PostgreSQL. */
export const scenarios: Scenario[] = [speedScenario, chainsScenario, killsScenario, staleScenario, linesScenario];
