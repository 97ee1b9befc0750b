import type { Scenario } from '../../scenarios/scenario.ts';
import { blobScenario } from './scenarios/blobs.ts';
import { cpuScenario } from './scenarios/cpu.ts';
import { historyScenario } from './scenarios/history.ts';
import { offeredScenario } from './scenarios/offered.ts';

/** `pnpm bench replicas`: three trajectory APIs beside one, a long past beside none, a bucket beside files. */
export const scenarios: Scenario[] = [cpuScenario, offeredScenario, historyScenario, blobScenario];
