import type { z } from 'zod';
import { CompressionError } from '../compression-error.ts';
import { COMPRESSION_DEFAULTS, type CompressionSettings, compressionFileSchema } from './compression-settings.ts';

/** The settings of a parsed YAML file over the defaults. Refuses a value with its name and what is allowed. */
export function readCompressionSettings(file: unknown, place = 'the configuration'): CompressionSettings {
  const parsed = compressionFileSchema.safeParse(file ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CompressionError({
      kind: 'bad-settings',
      reason: `${issue?.path.join('.') || 'It'} in ${place} cannot be used: ${issue?.message ?? 'not understood'}.`,
      hint: 'Correct it, or leave it out for the default.',
    });
  }
  return merge(parsed.data);
}

function merge(file: z.infer<typeof compressionFileSchema>): CompressionSettings {
  const defaults = COMPRESSION_DEFAULTS;
  const { tokenizer, compression, protected_turns: kept, summarization, output, processing, metrics } = file;
  return {
    tokenizerName: tokenizer?.name ?? defaults.tokenizerName,
    targetMaxTokens: compression?.target_max_tokens ?? defaults.targetMaxTokens,
    summaryTargetTokens: compression?.summary_target_tokens ?? defaults.summaryTargetTokens,
    maxPasses: compression?.max_passes ?? defaults.maxPasses,
    protectFirstSystem: kept?.first_system ?? defaults.protectFirstSystem,
    protectFirstHuman: kept?.first_human ?? defaults.protectFirstHuman,
    protectFirstGpt: kept?.first_gpt ?? defaults.protectFirstGpt,
    protectFirstTool: kept?.first_tool ?? defaults.protectFirstTool,
    protectLastTurns: kept?.last_n_turns ?? defaults.protectLastTurns,
    model: summarization?.model ?? defaults.model,
    baseUrl: summarization?.base_url ?? defaults.baseUrl,
    apiKeyEnv: summarization?.api_key_env ?? defaults.apiKeyEnv,
    temperature: summarization?.temperature === undefined ? defaults.temperature : summarization.temperature,
    maxRetries: summarization?.max_retries ?? defaults.maxRetries,
    retryDelaySeconds: summarization?.retry_delay ?? defaults.retryDelaySeconds,
    addSummaryNotice: output?.add_summary_notice ?? defaults.addSummaryNotice,
    summaryNoticeText: output?.summary_notice_text ?? defaults.summaryNoticeText,
    outputSuffix: output?.output_suffix ?? defaults.outputSuffix,
    maxConcurrentRequests: processing?.max_concurrent_requests ?? defaults.maxConcurrentRequests,
    rowTimeoutSeconds: processing?.per_trajectory_timeout ?? defaults.rowTimeoutSeconds,
    metricsEnabled: metrics?.enabled ?? defaults.metricsEnabled,
    metricsPerRow: metrics?.per_trajectory ?? defaults.metricsPerRow,
    metricsFile: metrics?.output_file ?? defaults.metricsFile,
  };
}
