import type { Show } from '../../shows/show.ts';
import { curveShow } from './shows/curve.ts';
import { rolloutsShow } from './shows/rollouts.ts';
import { trainerShow } from './shows/trainer.ts';

/** `pnpm bench loop`: the whole loop beside the Python way. */
export const shows: Show[] = [trainerShow, rolloutsShow, curveShow];
