import type { Show } from '../../shows/show.ts';
import { edgesShow } from './shows/edges.ts';
import { environmentShow } from './shows/environment.ts';
import { packingShow } from './shows/packing.ts';
import { trainerShow } from './shows/trainer.ts';
import { transcriptShow } from './shows/transcript.ts';
import { upstreamTestsShow } from './shows/upstream-tests.ts';

/** `pnpm conformance atropos`: what unmodified Atropos peers are promised, quickest first. */
export const shows: Show[] = [packingShow, transcriptShow, edgesShow, upstreamTestsShow, trainerShow, environmentShow];
