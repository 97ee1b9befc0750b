import { exact } from '../exact-json.ts';
import { verifies } from '../requirements.ts';
import { ENVIRONMENT, NO_BATCH, RECEIVED, REGISTRATION, get, group, post, withAllKeys } from './edge-case.ts';
import type { EdgeCase } from './edge-case.ts';

const WAITS = { status: 200, json: { status: 'wait for trainer to start' } };

function registeredEnv(envId: number, name: string): unknown {
  return {
    status: 'success',
    env_id: envId,
    wandb_name: name,
    checkpoint_dir: '/c',
    starting_step: 7,
    checkpoint_interval: 5,
    num_steps: 100,
  };
}

const IDLE_STATUS = {
  current_step: 7,
  queue_size: 0,
  unallocated_fraction: exact('1.0'),
  self_queue_size: 0,
  max_group_size: 1,
  env_weight: exact('1.0'),
};

/** The endpoints in their ordinary and in their empty states. */
export const ENDPOINT_CASES: readonly EdgeCase[] = [
  {
    name: 'unregistered',
    promises: verifies(
      'root',
      'info',
      'status',
      'wandb-info',
      'batch-unregistered',
      'register-env-waits',
      'disconnect-env',
    ),
    from: 'unregistered',
    steps: [
      { call: get('/'), want: { status: 200, json: { message: 'AtroposLib API' } } },
      { call: get('/status'), want: { status: 200, json: { current_step: 0, queue_size: 0 } } },
      { call: get('/wandb_info'), want: { status: 200, json: { group: null, project: null } } },
      { call: get('/info'), want: { status: 200, matches: /^\{"batch_size": ?-1, ?"max_token_len": ?-?\d+\}$/ } },
      { call: post('/register-env', ENVIRONMENT), want: WAITS },
      {
        call: post('/disconnect-env', { env_id: 0 }),
        want: { status: 200, matches: /"status": ?"failure", ?"error": ?"/ },
      },
    ],
  },
  {
    name: 'register',
    promises: verifies('register', 'register-once', 'deviation-uuid', 'info', 'wandb-info'),
    from: 'unregistered',
    steps: [
      {
        call: post('/register', REGISTRATION),
        want: { status: 200, matches: /^\{"uuid": ?\d{1,16}\}$/ },
        original: { status: 200, matches: /^\{"uuid":\d+\}$/ },
      },
      {
        call: post('/register', { ...REGISTRATION, batch_size: 999, starting_step: 50 }),
        want: { status: 200, matches: /^\{"uuid": ?\d+\}$/ },
      },
      { call: get('/info'), want: { status: 200, json: { batch_size: 8, max_token_len: 64 } } },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 0 } } },
      { call: get('/wandb_info'), want: { status: 200, json: { group: 'g', project: 'p' } } },
    ],
  },
  {
    name: 'register-fields',
    promises: verifies('register-fields', 'int-coercion', 'refusal-detail', 'unknown-fields'),
    from: 'unregistered',
    steps: [
      {
        call: post('/register', { ...REGISTRATION, num_steps: undefined }),
        want: { status: 422, loc: ['body', 'num_steps'] },
      },
      {
        call: post('/register', { ...REGISTRATION, wandb_group: null }),
        want: { status: 422, loc: ['body', 'wandb_group'] },
      },
      {
        call: post('/register', { ...REGISTRATION, batch_size: 8.5 }),
        want: { status: 422, loc: ['body', 'batch_size'] },
      },
      {
        call: post('/register', { ...REGISTRATION, wandb_project: 5 }),
        want: { status: 422, loc: ['body', 'wandb_project'] },
      },
      { call: get('/wandb_info'), want: { status: 200, json: { group: null, project: null } } },
      {
        call: post('/register', { ...REGISTRATION, batch_size: '8', max_token_len: exact('64.0'), extra: {} }),
        want: { status: 200 },
      },
      { call: get('/info'), want: { status: 200, json: { batch_size: 8, max_token_len: 64 } } },
    ],
  },
  {
    name: 'register-env',
    promises: verifies('register-env', 'register-env-waits', 'register-env-names', 'batch-starts', 'batch'),
    from: 'registered',
    steps: [
      { call: post('/register-env', ENVIRONMENT), want: WAITS },
      { call: get('/batch'), want: NO_BATCH },
      { call: post('/register-env', ENVIRONMENT), want: { status: 200, json: registeredEnv(0, 'e_0') } },
      {
        call: post('/register-env', { ...ENVIRONMENT, desired_name: 'f' }),
        want: { status: 200, json: registeredEnv(1, 'f_0') },
      },
      { call: post('/register-env', ENVIRONMENT), want: { status: 200, json: registeredEnv(2, 'e_1') } },
    ],
  },
  {
    name: 'register-env-fields',
    promises: verifies('register-env-fields', 'refusal-detail'),
    from: 'started',
    steps: [
      { call: post('/register-env', { ...ENVIRONMENT, weight: null }), want: { status: 422, loc: ['body', 'weight'] } },
      {
        call: post('/register-env', { ...ENVIRONMENT, desired_name: null }),
        want: { status: 422, loc: ['body', 'desired_name'] },
      },
      {
        call: post('/register-env', { ...ENVIRONMENT, group_size: undefined }),
        want: { status: 422, loc: ['body', 'group_size'] },
      },
      {
        call: post('/register-env', { ...ENVIRONMENT, min_batch_allocation: null }),
        want: { status: 200, json: registeredEnv(0, 'e_0') },
      },
    ],
  },
  {
    name: 'status-env',
    promises: verifies('status-env', 'status-env-body', 'negative-env-id', 'int-coercion'),
    from: 'environment',
    steps: [
      { call: get('/status-env', { env_id: 0 }), want: { status: 200, json: IDLE_STATUS } },
      { call: get('/status-env', { env_id: '0' }), want: { status: 200, json: IDLE_STATUS } },
      { call: get('/status-env', { env_id: -1 }), want: { status: 200, json: IDLE_STATUS } },
      { call: get('/status-env'), want: { status: 422, loc: ['body'] } },
      { call: get('/status-env', {}), want: { status: 422, loc: ['body', 'env_id'] } },
    ],
  },
  {
    name: 'status-env-queue',
    promises: verifies('status-env'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(4, { env_id: 0 })), want: RECEIVED },
      {
        call: get('/status-env', { env_id: 0 }),
        want: { status: 200, json: { ...IDLE_STATUS, queue_size: 1, self_queue_size: 1, max_group_size: 4 } },
      },
    ],
  },
  {
    name: 'disconnect-env',
    promises: verifies('disconnect-env', 'negative-env-id'),
    from: 'environment',
    steps: [
      {
        call: post('/disconnect-env', { env_id: 99 }),
        want: { status: 200, matches: /"status": ?"failure", ?"error": ?"/ },
      },
      { call: post('/disconnect-env', { env_id: -1 }), want: { status: 200, json: { status: 'success' } } },
      { call: post('/disconnect-env', { env_id: 0 }), want: { status: 200, json: { status: 'success' } } },
      { call: post('/disconnect-env', {}), want: { status: 422, loc: ['body', 'env_id'] } },
    ],
  },
  {
    name: 'latest-example',
    promises: verifies('latest-example', 'fourteen-keys', 'floats-stay-floats', 'reset-keeps'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(4, { env_id: 0 })), want: RECEIVED },
      {
        call: get('/latest_example'),
        want: { status: 200, json: withAllKeys(group(4, { env_id: 0, scores: wholeFloats(4) })) },
      },
      { call: get('/reset_data'), want: { status: 200, text: 'Reset successful' } },
      {
        call: get('/latest_example'),
        want: { status: 200, json: withAllKeys(group(4, { env_id: 0, scores: wholeFloats(4) })) },
      },
    ],
  },
  {
    name: 'reset-data',
    promises: verifies('reset-data', 'reset-keeps', 'info', 'wandb-info', 'status'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(4, { env_id: 0 })), want: RECEIVED },
      {
        call: get('/reset_data'),
        want: { status: 200, text: 'Reset successful', header: { name: 'content-type', matches: /^text\/plain/ } },
      },
      { call: get('/status'), want: { status: 200, json: { current_step: 0, queue_size: 0 } } },
      { call: get('/info'), want: { status: 200, json: { batch_size: -1, max_token_len: 64 } } },
      { call: get('/wandb_info'), want: { status: 200, json: { group: null, project: null } } },
      { call: post('/register-env', ENVIRONMENT), want: WAITS },
    ],
  },
  {
    name: 'scored-data-list',
    promises: verifies('scored-data-list', 'scored-data-list-whole', 'buffering'),
    from: 'environment',
    steps: [
      { call: post('/scored_data_list', []), want: { status: 200, json: { status: 'received', groups_processed: 0 } } },
      {
        call: post('/scored_data_list', [group(4, { env_id: 0 }), group(2, { env_id: 0 }), group(2, { env_id: 0 })]),
        want: { status: 200, json: { status: 'received', groups_processed: 3, buffered: 2, last_buffer_size: 0 } },
      },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 3 } } },
      {
        call: post('/scored_data_list', [group(4, { env_id: 0 }), { tokens: 1 }]),
        want: { status: 422, loc: ['body', 1, 'tokens'] },
      },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 3 } } },
    ],
  },
  {
    name: 'buffering',
    promises: verifies('buffering', 'subset-choice'),
    from: 'environment',
    steps: [
      {
        call: post('/scored_data', group(2, { env_id: 0 })),
        want: { status: 200, json: { status: 'buffered', buffer_size: 2 } },
      },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 0 } } },
      {
        call: post('/scored_data', group(1, { env_id: 0 })),
        want: { status: 200, json: { status: 'buffered', buffer_size: 3 } },
      },
      {
        call: post('/scored_data', group(1, { env_id: 0 })),
        want: { status: 200, json: { status: 'buffered', buffer_size: 0 } },
      },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 3 } } },
      { call: post('/scored_data', group(4, { env_id: '0' })), want: RECEIVED },
    ],
  },
  {
    name: 'pack-completion-order',
    promises: verifies('exact-packing', 'batch', 'env-id-optional'),
    from: 'started',
    steps: [
      ...[2, 4, 2].map((size, index) => ({
        call: post('/scored_data', group(size, { env_id: 100 + index })),
        want: RECEIVED,
      })),
      // A pack is four sequences: the four is complete on arrival, the twos only together.
      { call: get('/batch'), want: { status: 200, matches: /"env_id": ?101\D.*"env_id": ?100\D.*"env_id": ?102\D/s } },
    ],
  },
  {
    name: 'routing',
    promises: verifies('not-found', 'wrong-method', 'trailing-slash'),
    from: 'started',
    steps: [
      { call: get('/nope'), want: { status: 404, matches: /"detail": ?"Not Found"/ } },
      { call: get('/scored_data'), want: { status: 405, matches: /"detail": ?"Method Not Allowed"/ } },
      { call: post('/batch', {}), want: { status: 405, matches: /"detail": ?"Method Not Allowed"/ } },
      { call: { method: 'HEAD', path: '/info' }, want: { status: 405 } },
      { call: { method: 'DELETE', path: '/register' }, want: { status: 405 } },
      { call: get('/info/'), want: { status: 307, header: { name: 'location', matches: /\/info$/ } } },
    ],
  },
];

function wholeFloats(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => exact(`${index}.0`));
}
