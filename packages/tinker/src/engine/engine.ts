import type { EngineState } from './engine-state.ts';
import { stopEngine } from './stop-engine.ts';

/**
 * A training engine that runs on this machine. It belongs to nobody: it outlives who started
 * it, until somebody stops it.
 */
export interface Engine extends AsyncDisposable {
  /** Its base URL on loopback, as TINKER_BASE_URL wants it. */
  readonly url: string;
  /** The leader of its process group. */
  readonly pid: number;
  /** The model it trains; also the name it knows the model by. */
  readonly modelDirectory: string;
  readonly logFile: string;
  /** The largest LoRA rank it takes, when it is known. */
  readonly maxLoraRank: number | undefined;
  readonly startedAtMs: number;
  /** Ends it. Safe to call twice and at once. */
  stop(): Promise<void>;
}

export function describeEngine(options: {
  home: string;
  runDirectory: string | undefined;
  state: EngineState;
  pid: number;
}): Engine {
  const { home, runDirectory, state, pid } = options;
  const stop = async (): Promise<void> => {
    await stopEngine({ home, runDirectory });
  };
  return {
    url: state.url,
    pid,
    modelDirectory: state.model_directory,
    logFile: state.log_file,
    maxLoraRank: state.max_lora_rank,
    startedAtMs: state.started_at_ms,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
