import type { Show } from '../../shows/show.ts';
import { killShow, mutantShow } from './shows/kills.ts';

/** `pnpm chaos leak`: what a killed process leaves of its sandboxes. */
export const shows: Show[] = [killShow, mutantShow];
