import { z } from 'zod';

/** How the rows of a file are made to fit. The names and defaults are those of the YAML files people have. */
export interface CompressionSettings {
  /** A folder with `tokenizer.json`, or the name of a model, whose tokenizer is fetched from the hub once. */
  readonly tokenizerName: string;
  readonly targetMaxTokens: number;
  /** What a summary is asked to take; it may take twice as much before it is cut. */
  readonly summaryTargetTokens: number;
  /** How often a row that does not fit yet is summarised again; 1 leaves it as it is after the first summary. */
  readonly maxPasses: number;
  readonly protectFirstSystem: boolean;
  readonly protectFirstHuman: boolean;
  readonly protectFirstGpt: boolean;
  readonly protectFirstTool: boolean;
  readonly protectLastTurns: number;
  readonly model: string;
  readonly baseUrl: string;
  /** The variable that holds the key. */
  readonly apiKeyEnv: string;
  /** Null sends none: some models have their own. */
  readonly temperature: number | null;
  /** How often one summary is asked for. */
  readonly maxRetries: number;
  readonly retryDelaySeconds: number;
  readonly addSummaryNotice: boolean;
  readonly summaryNoticeText: string;
  readonly outputSuffix: string;
  readonly maxConcurrentRequests: number;
  readonly rowTimeoutSeconds: number;
  readonly metricsEnabled: boolean;
  readonly metricsPerRow: boolean;
  readonly metricsFile: string;
}

/** The settings that hold where nothing else is said. */
export const COMPRESSION_DEFAULTS: CompressionSettings = Object.freeze({
  tokenizerName: 'moonshotai/Kimi-K2-Thinking',
  targetMaxTokens: 15_250,
  summaryTargetTokens: 750,
  maxPasses: 4,
  protectFirstSystem: true,
  protectFirstHuman: true,
  protectFirstGpt: true,
  protectFirstTool: true,
  protectLastTurns: 4,
  model: 'google/gemini-3-flash-preview',
  baseUrl: 'https://openrouter.ai/api/v1',
  apiKeyEnv: 'OPENROUTER_API_KEY',
  temperature: 0.3,
  maxRetries: 3,
  retryDelaySeconds: 2,
  addSummaryNotice: true,
  summaryNoticeText: '\n\nSome of your previous tool responses may be summarized to preserve context.',
  outputSuffix: '_compressed',
  maxConcurrentRequests: 50,
  rowTimeoutSeconds: 300,
  metricsEnabled: true,
  metricsPerRow: true,
  metricsFile: 'compression_metrics.json',
});

const positive = z.int().positive();
const name = z.string().min(1);
/** A part of a path, so that no setting can lead out of the folder. */
const fileName = z.string().regex(/^[^/\\]+$/, 'must be a file name without a folder');

const group = <T extends z.ZodRawShape>(shape: T) => z.looseObject(shape).partial().nullish();

/** The groups of the YAML file. What has no effect (`num_workers` and others) may stand there. */
export const compressionFileSchema = z.looseObject({
  tokenizer: group({ name }),
  compression: group({ target_max_tokens: positive, summary_target_tokens: positive, max_passes: positive }),
  protected_turns: group({
    first_system: z.boolean(),
    first_human: z.boolean(),
    first_gpt: z.boolean(),
    first_tool: z.boolean(),
    last_n_turns: z.int().nonnegative(),
  }),
  summarization: group({
    model: name,
    base_url: name.nullable(),
    api_key_env: name,
    temperature: z.number().nonnegative().nullable(),
    max_retries: positive,
    retry_delay: z.number().nonnegative(),
  }),
  output: group({ add_summary_notice: z.boolean(), summary_notice_text: z.string(), output_suffix: z.string() }),
  processing: group({ max_concurrent_requests: positive, per_trajectory_timeout: z.number().positive() }),
  metrics: group({ enabled: z.boolean(), per_trajectory: z.boolean(), output_file: fileName }),
});
