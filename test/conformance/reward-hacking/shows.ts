import type { Show } from '../../shows/show.ts';
import { hacksShow } from './shows/hacks.ts';
import { honestShow } from './shows/honest.ts';
import { mutantShow } from './shows/mutants.ts';

/** `pnpm conformance reward-hacking`: who wants the reward without the work, in the two environments of ours for agents. */
export const shows: Show[] = [honestShow, hacksShow, mutantShow];
