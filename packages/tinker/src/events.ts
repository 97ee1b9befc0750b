/** What a client tells while it works. None of it has to be handled; each is worth a log line. */
export type TinkerEvent =
  | { type: 'billing-paused'; operation: string; retryInMs: number }
  | { type: 'call-deprecated'; operation: string; level: 'error' | 'warning'; note: string }
  | { type: 'call-retried'; operation: string; attempt: number; status: number | undefined; waitMs: number }
  | { type: 'clear-failed'; modelId: string; reason: string }
  | { type: 'field-stripped'; operation: string; field: string }
  | { type: 'heartbeat-missed'; sessionId: string; silentMs: number; reason: string }
  | { type: 'journal-line-skipped'; line: number }
  | { type: 'knob-dropped'; operation: string; knob: string; reason: string }
  | { type: 'normalisation-differs'; loss: string; reason: string }
  | { type: 'operation-failed'; modelId: string; operation: string; error: Error }
  | { type: 'partial-step'; modelId: string; submittedChunks: number; chunks: number }
  | { type: 'profile-chosen'; profile: string; evidence: readonly string[] }
  | { type: 'queue-state'; operation: string; requestId: string; state: EngineQueueState; reason: string | undefined }
  | { type: 'sampling-limited'; limit: number; pausedMs: number }
  | { type: 'sampling-resubmitted'; requestId: string | undefined; attempt: number; reason: string }
  | { type: 'sequence-resynchronised'; modelId: string; from: number; to: number }
  | { type: 'session-ended'; sessionId: string }
  | { type: 'session-message'; level: 'error' | 'info' | 'warning'; message: string }
  | { type: 'training-stopped'; modelId: string; reason: string }
  | { type: 'vocabulary-unknown'; model: string };

/** Why a job waits. */
export type EngineQueueState = 'active' | 'paused_capacity' | 'paused_rate_limit' | 'unknown';

export type OnTinkerEvent = (event: TinkerEvent) => void;
