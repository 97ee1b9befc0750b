/** `@lachesis/sdk/environment`: tasks, rollouts, rewards, and what runs them. */
export { checkEnvironment } from './check/check-environment.ts';
export type { CheckEnvironmentOptions, CheckLine } from './check/check-environment.ts';
export { listEnvironmentFields, printEnvironmentHelp } from './command/describe-environment.ts';
export { readArguments } from './command/read-arguments.ts';
export type { EnvironmentArguments } from './command/read-arguments.ts';
export { ENVIRONMENT_MODES, runEnvironmentCommand } from './command/run-environment-command.ts';
export type { EnvironmentCommandOptions, EnvironmentMode } from './command/run-environment-command.ts';
export { abortOnSignals, isExpected, runEnvironment } from './command/run-environment.ts';
export { baseConfigSchema } from './config/base-config.ts';
export type { BaseConfig, BaseConfigInput } from './config/base-config.ts';
export { fetchForField, isSetThroughApi } from './config/field-fetch.ts';
export type { FieldFetchOptions } from './config/field-fetch.ts';
export { codeField, pathField, urlField } from './config/field-kinds.ts';
export { requireServers, resolveEnvironmentConfig } from './config/resolve-environment-config.ts';
export type { EnvironmentRunConfig, ResolveEnvironmentConfigOptions } from './config/resolve-environment-config.ts';
export { serverConfigSchema } from './config/server-config.ts';
export type { ServerConfig, ServerConfigInput } from './config/server-config.ts';
export { listTaughtExamples } from './warm-up/list-taught-examples.ts';
export type { TaughtExample } from './warm-up/list-taught-examples.ts';
export { createRandom } from './create-random.ts';
export type { Random } from './create-random.ts';
export { defineEnvironment } from './define-environment.ts';
export type { EnvironmentSpec } from './define-environment.ts';
export { isEnvironmentDefinition } from './definition.ts';
export type {
  CollectContext,
  Conversation,
  EnvironmentConfig,
  EnvironmentDefinition,
  EvaluationContext,
  EvaluationSample,
  GradedRollout,
  ItemContext,
  NextMessages,
  OpenedEnvironment,
  OpenOptions,
  PromptReply,
  RewardReply,
  RolloutContext,
  Sample,
  SetupContext,
} from './definition.ts';
export { EnvironmentError } from './environment-error.ts';
export type { EnvironmentErrorKind, EnvironmentErrorOptions } from './environment-error.ts';
export { Environment, readDefinition, toDefinition } from './environment.ts';
export type { EnvironmentClass } from './environment.ts';
export { createFailureGate, FAILURE_LIMITS } from './failures/create-failure-gate.ts';
export type { FailureGate, FailureLimits } from './failures/create-failure-gate.ts';
export { assembleGroup } from './group/assemble-group.ts';
export type { AssembleGroupOptions } from './group/assemble-group.ts';
export { collectGroup } from './group/collect-group.ts';
export type { CollectedGroup, CollectGroupOptions, FailurePolicy, ScoredRollout } from './group/collect-group.ts';
export { measureGroup } from './group/group-health.ts';
export type { GroupHealth, LengthStatistics } from './group/group-health.ts';
export type { ItemGenerator, ItemSource, ItemSources } from './item-source.ts';
export { abstained, failed, isOutcome, scored } from './outcome.ts';
export type { Abstained, Failed, FailureKind, Outcome, Scored } from './outcome.ts';
export { writeScoredData } from './output/write-scored-data.ts';
export { createHttpPolicy } from './policy/create-http-policy.ts';
export type { HttpPolicyOptions } from './policy/create-http-policy.ts';
export { createScriptedPolicy } from './policy/create-scripted-policy.ts';
export type { Script, ScriptedReply } from './policy/create-scripted-policy.ts';
export { hasTokens } from './policy/policy.ts';
export type { ChatMessage, ChatToolCall } from '@lachesis/protocol';
export type { Completion, CompletionRequest, Policy, PolicyRange, ToolDescription } from './policy/policy.ts';
export type { Sequence } from './rollout/join-turns.ts';
export type { RolloutResult, Trajectory } from './rollout/rollout-result.ts';
export type { Rollout } from './rollout/rollout.ts';
export { compareModels, printComparison, summariseDifferences } from './runner/compare-models.ts';
export type { ModelReport, PairedDifference } from './runner/compare-models.ts';
export { createProgress } from './runner/create-progress.ts';
export type { Progress, ProgressMode, ProgressOptions } from './runner/create-progress.ts';
export { evaluateEnvironment } from './runner/evaluate-environment.ts';
export type { EvaluateOptions, EvaluationReport } from './runner/evaluate-environment.ts';
export { processEnvironment } from './runner/process-environment.ts';
export type { ProcessOptions, ProcessSummary } from './runner/process-environment.ts';
export type { RolledOutGroup } from './runner/roll-out-group.ts';
export type { OnRunEvent, RunEvent } from './runner/run-event.ts';
export { serveEnvironment } from './runner/serve-environment.ts';
export type { EnvironmentClient, ServeOptions, ServeSummary } from './runner/serve-environment.ts';
export { splitItems } from './split.ts';
export type { Drawn, Split, SplitItems } from './split.ts';
export { agentTemplate, singleTurnTemplate } from './template/environment-templates.ts';

// Rewards.
export { createEfficiencyReward } from './rewards/create-efficiency-reward.ts';
export type { EfficiencyRewardOptions } from './rewards/create-efficiency-reward.ts';
export { createExactReward } from './rewards/create-exact-reward.ts';
export type { ExactRewardOptions } from './rewards/create-exact-reward.ts';
export { createHttpReward } from './rewards/create-http-reward.ts';
export type { HttpRewardOptions } from './rewards/create-http-reward.ts';
export { createHttpStatusReward } from './rewards/create-http-status-reward.ts';
export type { HttpStatusRewardOptions } from './rewards/create-http-status-reward.ts';
export { createJsonSchemaReward } from './rewards/create-json-schema-reward.ts';
export type { JsonSchemaRewardOptions } from './rewards/create-json-schema-reward.ts';
export { createJudgeReward } from './rewards/create-judge-reward.ts';
export type { JudgeRewardOptions } from './rewards/create-judge-reward.ts';
export { createKeywordReward } from './rewards/create-keyword-reward.ts';
export { createMathReward } from './rewards/create-math-reward.ts';
export type { MathRewardOptions } from './rewards/create-math-reward.ts';
export { createMultiSignalReward, DEFAULT_SIGNAL_WEIGHTS } from './rewards/create-multi-signal-reward.ts';
export type { MultiSignalRewardOptions } from './rewards/create-multi-signal-reward.ts';
export { createNumericReward } from './rewards/create-numeric-reward.ts';
export type { NumericRewardOptions } from './rewards/create-numeric-reward.ts';
export { createPatternReward } from './rewards/create-pattern-reward.ts';
export type { PatternRewardOptions } from './rewards/create-pattern-reward.ts';
export { createRewardModel } from './rewards/create-reward-model.ts';
export type { RewardModelOptions } from './rewards/create-reward-model.ts';
export { createToolUseReward } from './rewards/create-tool-use-reward.ts';
export type { ToolUseRewardOptions } from './rewards/create-tool-use-reward.ts';
export { createWordLimitReward } from './rewards/create-word-limit-reward.ts';
export type { WordLimitRewardOptions } from './rewards/create-word-limit-reward.ts';
export { JudgeError } from './rewards/judge/ask-judge.ts';
export type { AskJudge, JudgeQuestion } from './rewards/judge/ask-judge.ts';
export { createJudge } from './rewards/judge/create-judge.ts';
export type { JudgeOptions } from './rewards/judge/create-judge.ts';
export { compareMathAnswer } from './rewards/math/compare-math-answer.ts';
export type { MathAnswerOptions, MathVerdict } from './rewards/math/compare-math-answer.ts';
export { loadReward } from './rewards/load-reward.ts';
export type { LoadRewardOptions, OwnReward } from './rewards/load-reward.ts';
export { readRewardInput } from './rewards/reward.ts';
export type { Reward, RewardInput } from './rewards/reward.ts';

// Finding environments.
export { discoverEnvironments } from './discovery/discover-environments.ts';
export type { DiscoverOptions } from './discovery/discover-environments.ts';
export type { DiscoveredEnvironment, DiscoveredField, DiscoveryProblem } from './discovery/discovered-environment.ts';
export { ENVIRONMENT_ALIASES } from './discovery/environment-aliases.ts';
export type { SourceFiles } from './discovery/find-source-files.ts';
export { findEnvironment, loadEnvironment } from './discovery/load-environment.ts';
export type { LoadedEnvironment, LoadOptions } from './discovery/load-environment.ts';
export { gradeReplies } from './check/grade-replies.ts';
export type { GradedReply, GradeRepliesOptions } from './check/grade-replies.ts';

// Agent environments.
export { AgentEnvironment } from './agent/agent-environment.ts';
export type { SandboxOptions } from './agent/add-agent-loop.ts';
export { agentConfigSchema } from './agent/agent-config.ts';
export type { AgentConfig } from './agent/agent-config.ts';
export type { AgentContext } from './agent/agent-context.ts';
export { AGENT_STOP_REASONS } from './agent/agent-result.ts';
export type { AgentResult, AgentStopReason, AgentTurn } from './agent/agent-result.ts';
export { cutGitHistory } from './agent/cut-git-history.ts';
export { defineAgentEnvironment } from './agent/define-agent-environment.ts';
export type { AgentEnvironmentSpec } from './agent/define-agent-environment.ts';
export type { CleanGrade, CleanGradeOptions, GradeFiles } from './agent/grade-in-clean-sandbox.ts';
export type { AskPolicy, DrivenRollout, ExampleAnswer, Examples, RollOutOptions } from './definition.ts';

// Grading stored rollouts again.
export { reverifyGroups } from './reverify/reverify-groups.ts';
export type { ReverifyOptions } from './reverify/reverify-groups.ts';
export { printRewardsReport } from './reverify/print-rewards-report.ts';
export type { RewardChange, RewardsReport } from './reverify/rewards-report.ts';
