import type { Show } from '../../shows/show.ts';
import { learnsShow } from './shows/learns.ts';
import { rewardShow } from './shows/reward.ts';
import { tokensShow } from './shows/tokens.ts';

/** `pnpm e2e agent-grpo`: an agent with a tool is trained, on the tokens that were sampled and for what it was meant to do. */
export const shows: Show[] = [rewardShow, tokensShow, learnsShow];
