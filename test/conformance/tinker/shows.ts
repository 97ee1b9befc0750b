import type { Show } from '../../shows/show.ts';
import { skyrlShow } from './shows/skyrl.ts';
import { tuftShow } from './shows/tuft.ts';

/** `pnpm conformance tinker`: what the client meets on real servers, and what it makes of it. */
export const shows: Show[] = [tuftShow, skyrlShow];
