/** What a server may change while a client is connected. */
export interface DynamicFlags {
  cancelsSamples: boolean;
  /** How long they hold before they are asked for again. */
  refreshMs: number;
}

/** The server's flags, each with the default the official client uses. */
export interface ClientFlags extends DynamicFlags {
  exchangesKeyForJwt: boolean;
  /** True only when the server says so itself: the official default is true, and an old server would suffer for it. */
  allowsParallelChunks: boolean;
  maxChunkDatums: number;
  maxChunkBytes: number;
  trainingDispatchBytes: number;
  compressesTraining: boolean;
  sampleDispatchBytes: number;
  downloadBytes: number;
  maxSamplesInFlight: number | undefined;
  /** The server announces the samples of a session that have ended, so that one question stands for all. */
  announcesSamples: boolean;
  createsModelByLoading: boolean;
  billingPauseMs: number;
}

const MIB = 1024 * 1024;

export function readClientFlags(
  config: Readonly<Record<string, unknown>>,
  dynamic: Readonly<Record<string, unknown>>,
): ClientFlags {
  const number = (name: string, fallback: number): number => {
    const value = config[name];
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : fallback;
  };
  const inFlight = number('sample_max_concurrent_requests', 0);
  return {
    exchangesKeyForJwt: config['pjwt_auth_enabled'] === true,
    allowsParallelChunks: config['parallel_fwdbwd_chunks'] === true,
    maxChunkDatums: number('fwdbwd_max_chunk_len', 1024),
    maxChunkBytes: number('fwdbwd_max_chunk_bytes_count', 5_000_000),
    trainingDispatchBytes: number('fwdbwd_dispatch_bytes_semaphore_size', 50_000_000),
    compressesTraining: config['proto_compress_fwdbwd'] === true,
    sampleDispatchBytes: number('sample_dispatch_bytes_semaphore_size', 10 * MIB),
    downloadBytes: number('inflight_response_bytes_semaphore_size', 50 * MIB),
    maxSamplesInFlight: inFlight === 0 ? undefined : inFlight,
    announcesSamples: config['sample_use_retrieve_futures'] === true,
    createsModelByLoading: config['create_model_via_load_weights'] === true,
    billingPauseMs: number('billing_exception_max_pause_duration_sec', 3600) * 1000,
    ...readDynamicFlags(dynamic),
  };
}

/** A server that wants to be asked all the time is asked this often. */
const MIN_REFRESH_MS = 10_000;
const DEFAULT_REFRESH_MS = 300_000;
/** More than a day is as good as never, and more than 24 days no timer can wait. */
const MAX_REFRESH_SECONDS = 86_400;

export function readDynamicFlags(dynamic: Readonly<Record<string, unknown>>): DynamicFlags {
  const seconds = dynamic['refresh_interval_sec'];
  const isUsable = typeof seconds === 'number' && seconds > 0 && seconds <= MAX_REFRESH_SECONDS;
  return {
    cancelsSamples: dynamic['sample_cancel_enabled'] === true,
    refreshMs: isUsable ? Math.max(MIN_REFRESH_MS, seconds * 1000) : DEFAULT_REFRESH_MS,
  };
}
