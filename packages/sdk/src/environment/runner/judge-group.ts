import type { BaseConfig } from '../config/base-config.ts';
import { longestSequence, type RolledOutGroup } from './roll-out-group.ts';

/** Says why a group is not to be sent; undefined when it is. */
export function createGroupJudge(config: BaseConfig): (group: RolledOutGroup) => string | undefined {
  let replaced = 0;
  return (group) => {
    const longest = longestSequence(group);
    if (longest > config.max_token_length) {
      return `a sequence has ${longest} tokens, more than env.max_token_length (${config.max_token_length})`;
    }
    if (!group.health.isDead) {
      replaced = 0;
      return undefined;
    }
    if (config.ensure_scores_are_not_same) return 'all scores are equal';
    if (!config.dynamic_resampling || replaced >= config.max_resamples) {
      replaced = 0;
      return undefined;
    }
    replaced += 1;
    return 'all scores are equal, another item takes its place';
  };
}
