import type { Show } from '../../shows/show.ts';
import { heartbeatShow } from './shows/heartbeat.ts';
import { samplesShow } from './shows/samples.ts';
import { submitShow } from './shows/submit.ts';

/** `pnpm bench tinker`: what the client costs, and that it stays alive. */
export const shows: Show[] = [submitShow, samplesShow, heartbeatShow];
