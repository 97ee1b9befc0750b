import type { ServerName, Subject } from '../servers/subject.ts';

/** What a client meets that differs from server to server, one line of the table in docs/protocols/tinker.md each. */
export const ROWS = {
  'api-key': 'API key',
  'unknown-fields': 'Unknown request fields',
  'client-config': '`client/config`',
  'absent-endpoints': 'Endpoints that are not served',
  'training-body': '`forward_backward` body',
  'forward-endpoint': '`forward`',
  'result-encoding': 'Result encoding',
  'tensor-shapes': 'Sparse and 2-D loss inputs',
  'extra-inputs': 'Further `loss_fn_inputs`',
  losses: 'Losses',
  'mixed-losses': 'Two losses before one step',
  'chunk-metrics': 'A batch in chunks',
  'metric-names': 'Metrics',
  'adam-params': 'Adam parameters',
  lora: 'LoRA',
  'create-model': '`create_model` sent twice',
  'sequence-order': 'Order of `seq_id`',
  'sequence-repeat': 'A `seq_id` sent twice',
  'existing-name': 'Save under a name that exists',
  'sampler-path': 'Path of named sampler weights',
  'unnamed-sampler': 'Sampler without a name',
  'sample-without-session': '`asample` without a session',
  'sequence-ids': '`sample_sequence_ids`',
  'sample-repeat': '`asample` sent twice',
  stop: '`stop`',
  'max-tokens': 'No `max_tokens`',
  backpressure: '429 on `asample`',
  'prompt-logprobs': 'Prompt logprobs and top-k',
  images: 'Images',
  'job-failure': 'A job that fails',
  pending: 'A job that is pending',
  'unknown-future': 'Unknown future',
  capabilities: 'Capabilities',
  'get-info': '`get_info`',
  'weights-info': '`weights_info`',
  listings: 'Listings',
  archive: 'Archive',
  publish: 'Publish',
  'delete-checkpoint': 'Delete a checkpoint',
  'session-expiry': 'Session expiry',
} as const;

export type RowId = keyof typeof ROWS;

/** Throws where the server does something else than the page says, or the client does not cope with it. */
export type RowCheck = (subject: Subject) => Promise<void>;

/** One check per server. A server that cannot be run for a row has the reason in its place. */
export type RowChecks = Readonly<Record<ServerName, RowCheck | { readonly notRun: string }>>;
