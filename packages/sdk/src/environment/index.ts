/** `@lachesis/sdk/environment`: tasks, rollouts, rewards, and what runs them. */
export { checkEnvironment } from './check/check-environment.ts';
export { sampleRewards } from './check/sample-rewards.ts';
export { listEnvironmentFields, printEnvironmentHelp } from './command/describe-environment.ts';
export { readArguments } from './command/read-arguments.ts';
export type { EnvironmentArguments } from './command/read-arguments.ts';
export { runEnvironmentCommand } from './command/run-environment-command.ts';
export { abortOnSignals, isExpected, runEnvironment } from './command/run-environment.ts';
export { summariseSuite } from './command/summarise-suite.ts';
export { baseConfigSchema } from './config/base-config.ts';
export { fetchForField, isSetThroughApi } from './config/field-fetch.ts';
export { codeField, pathField, urlField } from './config/field-kinds.ts';
export { resolveEnvironmentConfig } from './config/resolve-environment-config.ts';
export { listTaughtExamples } from './warm-up/list-taught-examples.ts';
export type { TaughtExample } from './warm-up/list-taught-examples.ts';
export { createRandom } from './create-random.ts';
export type { Random } from './create-random.ts';
export { defineEnvironment } from './define-environment.ts';
export type { EnvironmentDefinition } from './definition.ts';
export { EnvironmentError } from './environment-error.ts';
export { Environment } from './environment.ts';
export { abstained, failed, scored } from './outcome.ts';
export type { Outcome } from './outcome.ts';
export { createHttpPolicy } from './policy/create-http-policy.ts';
export { createScriptedPolicy } from './policy/create-scripted-policy.ts';
export type { ScriptedReply } from './policy/create-scripted-policy.ts';
export type { Policy } from './policy/policy.ts';
export { compareModels } from './runner/compare-models.ts';
export { createProgress } from './runner/create-progress.ts';
export { evaluateEnvironment } from './runner/evaluate-environment.ts';
export { splitItems } from './split.ts';
export { agentTemplate, singleTurnTemplate } from './template/environment-templates.ts';

// Rewards.
export { createEfficiencyReward } from './rewards/create-efficiency-reward.ts';
export { createExactReward } from './rewards/create-exact-reward.ts';
export { createHttpReward } from './rewards/create-http-reward.ts';
export { createHttpStatusReward } from './rewards/create-http-status-reward.ts';
export { createJsonSchemaReward } from './rewards/create-json-schema-reward.ts';
export { createJudgeReward } from './rewards/create-judge-reward.ts';
export { createKeywordReward } from './rewards/create-keyword-reward.ts';
export { createMathReward } from './rewards/create-math-reward.ts';
export { createMultiSignalReward } from './rewards/create-multi-signal-reward.ts';
export { createNumericReward } from './rewards/create-numeric-reward.ts';
export { createPatternReward } from './rewards/create-pattern-reward.ts';
export { createRewardModel } from './rewards/create-reward-model.ts';
export { createToolUseReward } from './rewards/create-tool-use-reward.ts';
export { createWordLimitReward } from './rewards/create-word-limit-reward.ts';
export { JudgeError } from './rewards/judge/ask-judge.ts';
export { createJudge } from './rewards/judge/create-judge.ts';
export { loadReward } from './rewards/load-reward.ts';
export { readRewardInput } from './rewards/reward.ts';
export type { Reward } from './rewards/reward.ts';

// Finding environments.
export { discoverEnvironments } from './discovery/discover-environments.ts';
export { ENVIRONMENT_ALIASES } from './discovery/environment-aliases.ts';
export { findEnvironment, loadEnvironment } from './discovery/load-environment.ts';
export { gradeReplies } from './check/grade-replies.ts';

// Agent environments.
export { AgentEnvironment } from './agent/agent-environment.ts';
export type { AgentContext } from './agent/agent-context.ts';
export type { AgentRolloutResult } from './agent/agent-result.ts';
export { cutGitHistory } from './agent/cut-git-history.ts';
export { defineAgentEnvironment } from './agent/define-agent-environment.ts';
export type { AgentEnvironmentSpec } from './agent/define-agent-environment.ts';

// Grading stored rollouts again.
export { reverifyGroups } from './reverify/reverify-groups.ts';
export { printRewardsReport } from './reverify/print-rewards-report.ts';
