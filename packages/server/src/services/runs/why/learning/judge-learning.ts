import type { LearningFinding } from '@lachesis/protocol';
import { judgeCollapse, judgeLearningRate, judgeRate, judgeStaleness, judgeTemperature } from './judge-policy.ts';
import { judgeParsing, judgeTemplate, judgeTruncation, judgeVerifier } from './judge-replies.ts';
import { judgeEqualGroups, judgeEvaluation, judgeFlatReward, judgeNoReward } from './judge-rewards.ts';
import type { Learning } from './learning.ts';

/** Names its cause when it holds, and is silent otherwise. */
export type LearningJudge = (learning: Learning) => LearningFinding | undefined;

/** From the one that explains most to the one that explains least: replies that cannot be parsed earn nothing, too. */
export const LEARNING_JUDGES: Readonly<Record<LearningFinding['cause'], LearningJudge>> = Object.freeze({
  'learning-rate-zero': judgeLearningRate,
  'verifier-fails': judgeVerifier,
  'template-without-tools': judgeTemplate,
  'unparsed-replies': judgeParsing,
  truncation: judgeTruncation,
  'no-reward': judgeNoReward,
  collapse: judgeCollapse,
  'equal-groups': judgeEqualGroups,
  'stale-policy': judgeStaleness,
  'rate-too-high': judgeRate,
  'evaluation-flat': judgeEvaluation,
  temperature: judgeTemperature,
  'flat-reward': judgeFlatReward,
});

/** They follow from others: behind one that was found before they say nothing new. */
const SYMPTOMS: ReadonlySet<LearningFinding['cause']> = new Set([
  ...(['no-reward', 'collapse', 'equal-groups', 'flat-reward'] as const),
]);

/** Why a run that goes on does not learn; empty when it learns, or it is too early to tell. */
export function judgeLearning(
  learning: Learning,
  judges: Readonly<Record<string, LearningJudge>> = LEARNING_JUDGES,
): LearningFinding[] {
  const found = Object.values(judges).flatMap((judge) => judge(learning) ?? []);
  return found.filter(({ cause }, index) => index === 0 || !SYMPTOMS.has(cause));
}
