import type { Scenario } from '../../scenarios/scenario.ts';
import { createPairsScenario } from './pairs.ts';

/** `pnpm conformance one-answer`: a command gives the same answer on a local home and through a server over it. */
export const scenarios: Scenario[] = [createPairsScenario('sqlite'), createPairsScenario('postgres')];
