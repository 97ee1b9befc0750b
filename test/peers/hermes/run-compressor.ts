import { readAnswers, runScript } from './run-script.ts';

export interface CompressorTask {
  /** A folder; a file where there is a sample. */
  readonly input: string;
  readonly output: string;
  /** A YAML file. */
  readonly config: string;
  /** Draw these through its command. */
  readonly sample?: { readonly sample_percent: number; readonly seed: number };
}

export interface CompressorJob {
  /** A folder of its own, which becomes `HERMES_HOME`. */
  readonly home: string;
  /** Where transformers are; without them Hermes counts four characters as a token. */
  readonly site_packages?: string | undefined;
  /** Spares its clients the reading of all certificates. */
  readonly one_certificate?: boolean;
  readonly tasks: readonly CompressorTask[];
}

export interface CompressorAnswer {
  readonly output: string;
  /** Of the work alone, without the start of Python. */
  readonly seconds?: number;
  readonly cpu_seconds?: number;
  readonly peak_bytes?: number;
}

/** Hands tasks to the real compressor of Hermes, one after the other in one process. */
export async function runCompressor(options: {
  python: string;
  job: CompressorJob;
  timeoutMs: number;
}): Promise<CompressorAnswer[]> {
  const env = { PYTHONDONTWRITEBYTECODE: '1', TOKENIZERS_PARALLELISM: 'true' };
  return readAnswers(await runScript({ script: 'compress_hermes.py', env, ...options }));
}
