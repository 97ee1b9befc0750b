import type { Show } from '../../shows/show.ts';
import { atroposShow } from './shows/atropos.ts';
import { corpusShow } from './shows/corpus.ts';
import { distributionsShow } from './shows/distributions.ts';
import { fuzzShow } from './shows/fuzz.ts';
import { mutantsShow } from './shows/mutants.ts';
import { roundTripShow } from './shows/round-trip.ts';
import { thinkingShow } from './shows/thinking.ts';
import { vllmShow } from './shows/vllm.ts';

/** `pnpm conformance parsers`: tool calls in eleven formats, quickest first. */
export const shows: Show[] = [
  thinkingShow,
  vllmShow,
  distributionsShow,
  atroposShow,
  corpusShow,
  roundTripShow,
  fuzzShow,
  mutantsShow,
];
