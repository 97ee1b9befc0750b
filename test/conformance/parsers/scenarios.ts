import type { Scenario } from '../../scenarios/scenario.ts';
import { atroposScenario } from './scenarios/atropos.ts';
import { corpusScenario } from './scenarios/corpus.ts';
import { distributionsScenario } from './scenarios/distributions.ts';
import { fuzzScenario } from './scenarios/fuzz.ts';
import { mutantsScenario } from './scenarios/mutants.ts';
import { roundTripScenario } from './scenarios/round-trip.ts';
import { thinkingScenario } from './scenarios/thinking.ts';
import { vllmScenario } from './scenarios/vllm.ts';

/** `pnpm conformance parsers`: tool calls in eleven formats, quickest first. */
export const scenarios: Scenario[] = [
  thinkingScenario,
  vllmScenario,
  distributionsScenario,
  atroposScenario,
  corpusScenario,
  roundTripScenario,
  fuzzScenario,
  mutantsScenario,
];
