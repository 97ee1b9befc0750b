import { runScript } from './run-script.ts';

// It asks the network what it knows of the model, several times; without one each such call is to fail at once.
const NO_NETWORK = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

export interface HermesBatchJob {
  /** A folder of its own, which becomes `HERMES_HOME`. */
  readonly home: string;
  /** Its files are in `data/<run_name>` below. */
  readonly cwd: string;
  readonly base_url: string;
  readonly dataset_file: string;
  readonly run_name: string;
  readonly batch_size: number;
  readonly num_workers: number;
  readonly max_turns: number;
  readonly resume: boolean;
}

export interface HermesBatchOptions {
  readonly python: string;
  readonly job: HermesBatchJob;
  readonly timeoutMs: number;
  /** Told the pid as soon as there is one, for those who measure. */
  readonly onStart?: (pid: number) => void;
}

/** Runs the batch runner of the real Hermes to its end; gives back what it printed. */
export const runHermesBatch = (options: HermesBatchOptions): Promise<string> =>
  runScript({ script: 'drive_batch.py', env: NO_NETWORK, ...options });
