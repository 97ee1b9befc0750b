/** The server's flags, each with the default the official client uses. */
export interface ClientFlags {
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
  createsModelByLoading: boolean;
  billingPauseMs: number;
  cancelsSamples: boolean;
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
    createsModelByLoading: config['create_model_via_load_weights'] === true,
    billingPauseMs: number('billing_exception_max_pause_duration_sec', 3600) * 1000,
    cancelsSamples: dynamic['sample_cancel_enabled'] === true,
  };
}
