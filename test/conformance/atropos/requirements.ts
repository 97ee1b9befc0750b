/** Where a promise comes from: a function of atroposlib 0.4.0, or a deviation we announce in docs/protocols/atropos.md. */
export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
}

/**
 * Every promise to an unmodified Atropos peer. A test or show cites a line by calling `verifies('id')`; a test in a package,
 * which must not import from here, writes the same call in a comment. A line nobody cites fails requirements.test.ts.
 */
export const REQUIREMENTS = [
  // Endpoints
  line('root', 'GET / names the API.', 'api/server.py root'),
  line(
    'register',
    'POST /register takes eight required fields and answers a uuid that is a JSON integer.',
    'api/server.py register',
  ),
  line('register-once', 'A later /register changes nothing and still answers a uuid.', 'api/server.py register'),
  line('register-fields', 'A missing or null field of /register is 422.', 'api/server.py Registration'),
  line(
    'register-env',
    'POST /register-env answers id, name, checkpoint facts, the current step and num_steps.',
    'api/server.py register_env_url',
  ),
  line(
    'register-env-waits',
    'Before the first /batch, /register-env answers "wait for trainer to start".',
    'api/server.py register_env_url',
  ),
  line(
    'register-env-names',
    'The name of an environment is its desired name and the count of earlier ones with that name.',
    'api/server.py register_env_url',
  ),
  line(
    'register-env-fields',
    'A null weight, a null name or a missing group_size is 422.',
    'api/server.py RegisterEnv',
  ),
  line(
    'disconnect-env',
    'POST /disconnect-env answers success, or failure with an error text, both 200.',
    'api/server.py disconnect_env',
  ),
  line(
    'negative-env-id',
    'A negative environment id counts from the end.',
    'api/server.py disconnect_env, get_status_env',
  ),
  line('wandb-info', 'GET /wandb_info answers group and project, null when unknown.', 'api/server.py wandb_info'),
  line('info', 'GET /info answers batch_size and max_token_len, -1 when unknown.', 'api/server.py info'),
  line(
    'status',
    'GET /status answers current_step and queue_size, zeros when nothing is known.',
    'api/server.py get_status',
  ),
  line('status-env', 'GET /status-env answers six fields with upstream arithmetic.', 'api/server.py get_status_env'),
  line(
    'status-env-body',
    'GET /status-env reads a JSON body on a GET; without one it is 422, a query string is not read.',
    'api/server.py EnvIdentifier',
  ),
  line('batch', 'GET /batch answers {batch: […]} with a full batch, or {batch: null}.', 'api/server.py get_batch'),
  line(
    'batch-unregistered',
    'Before registration /batch is 200 with status "error" and an empty list.',
    'api/server.py get_batch',
  ),
  line('batch-starts', 'The first /batch lets environments register.', 'api/server.py get_batch'),
  line(
    'latest-example',
    'GET /latest_example answers the last queued group, or nine empty lists.',
    'api/server.py get_latest_example',
  ),
  line('scored-data', 'POST /scored_data answers received.', 'api/server.py scored_data'),
  line(
    'scored-data-list',
    'POST /scored_data_list answers how many groups it processed and how many it buffered.',
    'api/server.py scored_data_list',
  ),
  line(
    'scored-data-list-whole',
    'One invalid element of a list is 422 and nothing of the list is stored.',
    'api/server.py scored_data_list',
  ),
  line(
    'reset-data',
    'GET /reset_data answers plain text and forgets registration, environments, queue and step.',
    'api/server.py reset_data',
  ),
  line('reset-keeps', 'GET /reset_data keeps the latest example and max_token_len.', 'api/server.py reset_data'),
  line('not-found', 'An unknown path is 404 with {detail}.', 'FastAPI routing'),
  line('wrong-method', 'A wrong method is 405 with {detail}, HEAD included.', 'FastAPI routing'),
  line('trailing-slash', 'A trailing slash is a 307 to the path without it.', 'FastAPI routing'),

  // Fields and coercions
  line('fourteen-keys', 'A delivered group has all 14 keys, null where absent.', 'api/server.py _scored_data_to_dict'),
  line(
    'required-fields',
    'tokens, masks and scores are required; anything missing is 422.',
    'api/server.py ScoredData',
  ),
  line(
    'refusal-detail',
    'A 422 holds {detail: [{type, loc, msg}]} with the location of the fault.',
    'FastAPI validation',
  ),
  line('int-coercion', 'Integer fields take "5", true and 1.0, and refuse 1.5.', 'pydantic lax mode'),
  line(
    'float-coercion',
    'Float fields take integers, numeric strings and booleans, and give back floats.',
    'pydantic lax mode',
  ),
  line(
    'floats-stay-floats',
    '1.0 is delivered as 1.0, and an integer in a float field gains a fraction.',
    'api/server.py ScoredData',
  ),
  line('big-integers', 'Integers beyond 2^53 keep every digit.', 'Python integers'),
  line('number-text', 'Numbers inside messages, overrides and images pass unchanged.', 'api/server.py ScoredData'),
  line('unicode', 'Text passes unchanged, escaped or not.', 'api/server.py ScoredData'),
  line('unknown-fields', 'Unknown fields are dropped.', 'api/server.py ScoredData'),
  line('last-key-wins', 'Of a key given twice the last one counts.', 'Python json'),
  line('no-cross-checks', 'Lengths are not compared across fields.', 'api/server.py ScoredData'),
  line('empty-lists', 'Empty lists for absent fields are taken and given back.', 'envs/base.py collect_trajectories'),
  line(
    'messages-shape',
    'A message without role or content is 422; other keys pass through.',
    'api/server.py validate_messages',
  ),
  line('overrides-shape', 'overrides is a list of objects; a null in it is 422.', 'api/server.py ScoredData'),
  line('images-anything', 'images may be any JSON value.', 'api/server.py ScoredData'),
  line(
    'distill-fields',
    'distill_token_ids and distill_logprobs are three levels deep and come back whole.',
    'api/server.py ScoredData',
  ),
  line(
    'env-id-optional',
    'A group may come without an environment id, or with one that is not registered.',
    'api/server.py _process_scored_data',
  ),
  line(
    'shape-of-body',
    'A list for one group, or one group for a list, is 422.',
    'api/server.py scored_data, scored_data_list',
  ),

  // Bodies on the wire
  line(
    'gzip-request',
    'A gzip body is taken, also as x-gzip and in several members.',
    'api/server.py GZipRequestMiddleware',
  ),
  line('gzip-garbage', 'A body that is no gzip is 400 "Invalid gzip payload".', 'api/server.py GZipRequestMiddleware'),
  line('gzip-empty', 'An empty gzip body is 422.', 'api/server.py GZipRequestMiddleware'),
  line(
    'deflate-refused',
    'Content-Encoding deflate is not undone: bytes that are no UTF-8 are 400.',
    'FastAPI body parsing',
  ),
  line(
    'gzip-reply',
    'A reply of 1,000 bytes or more is gzip for a client that accepts it; others get it plain.',
    'api/server.py GZipMiddleware',
  ),
  line('content-type', 'A body that is not declared JSON is 422.', 'FastAPI body parsing'),
  line('invalid-json', 'Invalid JSON is 422.', 'FastAPI body parsing'),

  // Buffering and packing
  line(
    'buffering',
    'A group of another size than its environment registered is buffered until a set fills that size.',
    'api/server.py _process_scored_data',
  ),
  line(
    'subset-choice',
    'The set released from a buffer is the one upstream chooses.',
    'api/utils.py find_groups_summing_to_target',
  ),
  line(
    'exact-packing',
    'Batches are packed as upstream packs them.',
    'api/utils.py grab_exact_from_heterogeneous_queue',
  ),
  line(
    'minimum-packing',
    'Minimum allocations are met as upstream meets them.',
    'api/utils.py grab_batch_with_minimum_allocations',
  ),

  // Peers as a whole
  line(
    'transcript',
    'With --strict-atropos a recorded session of 1,580 requests gets the replies of the original.',
    'api/server.py',
  ),
  line('upstream-tests', "Upstream's own HTTP tests pass.", 'atroposlib/tests'),
  line(
    'serve-mode',
    'An unmodified BaseEnv environment in serve mode registers, sends and is paced.',
    'envs/base.py env_manager',
  ),
  line(
    'managed-server',
    'Groups made by ManagedServer arrive with their logprobs.',
    'envs/server_handling/managed_server.py',
  ),
  line(
    'trainer-client',
    'The example trainer registers, polls and builds the same tensors as from the original.',
    'example_trainer/api.py, data.py',
  ),
  line(
    'survives-kill',
    'Environment and trainer go on after kill -9 of the server; id, name and step are kept.',
    'docs/protocols/atropos.md',
  ),
  line('keeps-acknowledged', 'No acknowledged group is lost by a kill -9.', 'docs/protocols/atropos.md'),

  // Deviations, all off with --strict-atropos unless said
  line('deviation-oldest-first', 'Batches leave oldest first.', 'docs/protocols/atropos.md'),
  line(
    'deviation-step',
    'current_step counts delivered batches and queue_size includes formed ones.',
    'docs/protocols/atropos.md',
  ),
  line('deviation-uuid', 'uuid is below 2^53.', 'docs/protocols/atropos.md'),
  line(
    'deviation-poison',
    'A group that can never be delivered (NaN, a size that never packs) is 200 and set aside.',
    'docs/protocols/atropos.md',
  ),
  line(
    'deviation-early-post',
    'A group posted before /register is kept and does not spoil the registration.',
    'docs/protocols/atropos.md',
  ),
  line('deviation-broken-gzip', 'A truncated or corrupt gzip body is 400 instead of 500.', 'docs/protocols/atropos.md'),
  line(
    'deviation-unknown-env',
    '/status-env of an unknown environment is 404 instead of 500.',
    'docs/protocols/atropos.md',
  ),
  line('deviation-env-query', '/status-env takes the env_id as a query too.', 'docs/protocols/atropos.md'),
  line(
    'deviation-reset-batch',
    '/batch after a reset says "not registered" instead of 500.',
    'docs/protocols/atropos.md',
  ),
  line(
    'deviation-zero-weight',
    '/status-env is 200 when no environment has weight, instead of 500.',
    'docs/protocols/atropos.md',
  ),
  line('deviation-no-echo', "A 422 does not repeat the sender's data.", 'docs/protocols/atropos.md'),
] as const satisfies readonly Requirement[];

export type RequirementId = (typeof REQUIREMENTS)[number]['id'];

/** Cites promises, and gives them back for tables of cases. */
export function verifies(...ids: RequirementId[]): readonly RequirementId[] {
  return ids;
}

function line<const Id extends string>(id: Id, sentence: string, source: string) {
  return { id, sentence, source } as const;
}
