import type { Scenario } from '../../scenarios/scenario.ts';
import { edgesScenario } from './scenarios/edges.ts';
import { environmentScenario } from './scenarios/environment.ts';
import { packingScenario } from './scenarios/packing.ts';
import { trainerScenario } from './scenarios/trainer.ts';
import { transcriptScenario } from './scenarios/transcript.ts';
import { upstreamTestsScenario } from './scenarios/upstream-tests.ts';

/** `pnpm conformance atropos`: what unmodified Atropos peers are promised, quickest first. */
export const scenarios: Scenario[] = [
  packingScenario,
  transcriptScenario,
  edgesScenario,
  upstreamTestsScenario,
  trainerScenario,
  environmentScenario,
];
