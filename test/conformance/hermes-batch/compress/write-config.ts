import { writeFile } from 'node:fs/promises';

export interface CompressConfig {
  readonly url: string;
  readonly target: number;
  readonly summaryTarget: number;
  readonly last?: number;
  readonly firstTool?: boolean;
  readonly hasNotice?: boolean;
  readonly concurrent?: number;
  /** Ours alone knows it. */
  readonly passes?: number;
  readonly tokenizer?: string;
}

/** A settings file that both compressors read. */
export async function writeConfig(path: string, config: CompressConfig): Promise<void> {
  const lines = [
    `tokenizer: { name: ${JSON.stringify(config.tokenizer ?? 'scripted')}, trust_remote_code: false }`,
    `compression: { target_max_tokens: ${config.target}, summary_target_tokens: ${config.summaryTarget}, max_passes: ${config.passes ?? 1} }`,
    `protected_turns: { first_tool: ${config.firstTool ?? true}, last_n_turns: ${config.last ?? 4} }`,
    `summarization: { model: scripted, base_url: ${JSON.stringify(config.url)}, api_key_env: SCRIPTED_KEY, max_retries: 2, retry_delay: 0.01 }`,
    `output: { add_summary_notice: ${config.hasNotice ?? true} }`,
    `processing: { max_concurrent_requests: ${config.concurrent ?? 50}, num_workers: 4 }`,
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
}
