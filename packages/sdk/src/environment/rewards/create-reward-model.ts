import { createHttpReward, type HttpRewardOptions } from './create-http-reward.ts';
import type { Reward } from './reward.ts';

export interface RewardModelOptions extends Omit<HttpRewardOptions, 'url'> {
  /** Base address of the server, as `lachesis serve reward` prints it. */
  readonly url: string;
}

/** The score that a trained reward model gives a reply: a number without bounds, higher for what people prefer. */
export function createRewardModel({ url, ...options }: RewardModelOptions): Reward {
  return createHttpReward({ ...options, url: `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/rewards` });
}
