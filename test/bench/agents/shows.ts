import type { Show } from '../../shows/show.ts';
import { overheadShow } from './shows/overhead.ts';
import { rolloutsShow } from './shows/rollouts.ts';

/** `pnpm bench agents`: what a rollout of model and tools costs besides the model and the tools. */
export const shows: Show[] = [overheadShow, rolloutsShow];
