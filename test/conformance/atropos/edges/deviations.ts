import { gzipSync } from 'node:zlib';

import { exact } from '../exact-json.ts';
import { verifies } from '../requirements.ts';
import { ENVIRONMENT, NO_BATCH, RECEIVED, REGISTRATION, get, group, post, postRaw } from './edge-case.ts';
import type { EdgeCase, Step, Want } from './edge-case.ts';

const GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const COMPRESSED = gzipSync(JSON.stringify(group(4, { env_id: 0 })));
const BROKEN = Buffer.concat([COMPRESSED.subarray(0, 12), Buffer.alloc(20, 0xff), COMPRESSED.subarray(32)]);
const CRASH: Want = { status: 500 };
const NO_BODY: Want = { status: 422, loc: ['body'] };
const NOT_REGISTERED: Want = {
  status: 200,
  json: { status: 'error', message: 'Trainer not registered. Call /register first.', batch: [] },
};

function statusIs(step: number, queueSize: number, original?: { step: number; queueSize: number }): Step {
  const want = (currentStep: number, queue: number): Want => ({
    status: 200,
    json: { current_step: currentStep, queue_size: queue },
  });
  return {
    call: get('/status'),
    want: want(step, queueSize),
    ...(original === undefined ? {} : { original: want(original.step, original.queueSize) }),
  };
}

/** A batch of two groups of four, told by the first score of each. */
function batchScored(first: number, second: number): Want {
  return { status: 200, matches: new RegExp(`"scores": ?\\[${first}\\.0.*"scores": ?\\[${second}\\.0`, 's') };
}

const scored = (score: number): Step => ({
  call: post('/scored_data', group(4, { env_id: 0, scores: [score, score, score, score] })),
  want: RECEIVED,
});

/** Where we differ from the original on purpose; each case also says what the original does. */
export const DEVIATION_CASES: readonly EdgeCase[] = [
  {
    name: 'oldest-batch-first',
    promises: verifies('deviation-oldest-first', 'deviation-step'),
    from: 'environment',
    steps: [
      ...[0, 1, 2, 3, 4, 5, 6, 7].map(scored),
      statusIs(7, 8),
      { call: get('/batch'), want: batchScored(0, 1), original: batchScored(6, 7) },
      statusIs(8, 6, { step: 11, queueSize: 0 }),
      { call: get('/batch'), want: batchScored(2, 3), original: batchScored(4, 5) },
      { call: get('/batch'), want: batchScored(4, 5), original: batchScored(2, 3) },
      statusIs(10, 2, { step: 11, queueSize: 0 }),
      { call: get('/batch'), want: batchScored(6, 7), original: batchScored(0, 1) },
      { call: get('/batch'), want: NO_BATCH },
      statusIs(11, 0),
    ],
  },
  {
    name: 'poison-nan',
    promises: verifies('deviation-poison'),
    from: 'environment',
    steps: [
      {
        call: postRaw(
          '/scored_data',
          JSON.stringify(group(4, { env_id: 0 })).replace('"scores":[0,', '"scores":[NaN,'),
        ),
        want: { status: 200 },
      },
      statusIs(7, 0, { step: 7, queueSize: 1 }),
      { call: get('/latest_example'), want: { status: 200 }, original: CRASH },
      scored(1),
      scored(2),
      { call: get('/batch'), want: batchScored(1, 2), original: CRASH },
    ],
  },
  {
    name: 'poison-infinity-in-messages',
    promises: verifies('deviation-poison'),
    from: 'environment',
    steps: [
      {
        call: postRaw(
          '/scored_data',
          JSON.stringify(group(4, { env_id: 0, group_overrides: { x: 'HERE' } })).replace('"HERE"', '-Infinity'),
        ),
        want: { status: 200 },
      },
      statusIs(7, 0, { step: 7, queueSize: 1 }),
      { call: get('/latest_example'), want: { status: 200 }, original: CRASH },
    ],
  },
  {
    name: 'poison-size-over-batch',
    promises: verifies('deviation-poison'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(16)), want: { status: 200 } },
      statusIs(7, 0, { step: 7, queueSize: 1 }),
      scored(1),
      scored(2),
      { call: get('/batch'), want: batchScored(1, 2), original: NO_BATCH },
    ],
  },
  {
    name: 'poison-size-not-dividing',
    promises: verifies('deviation-poison'),
    from: 'started',
    steps: [{ call: post('/scored_data', group(3)), want: { status: 200 } }, statusIs(7, 0, { step: 7, queueSize: 1 })],
  },
  {
    name: 'size-zero',
    promises: verifies('deviation-poison'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(0)), want: { status: 200 } },
      { call: post('/scored_data', group(0, { env_id: 0 })), want: { status: 200 } },
      statusIs(7, 0, { step: 7, queueSize: 1 }),
    ],
  },
  {
    name: 'size-over-group-size',
    promises: verifies('deviation-poison', 'buffering'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', group(8, { env_id: 0 })), want: { status: 200 } },
      statusIs(7, 0),
      { call: get('/batch'), want: NO_BATCH },
    ],
  },
  {
    name: 'post-before-register',
    promises: verifies('deviation-early-post'),
    from: 'unregistered',
    steps: [
      { call: post('/scored_data', group(4, { scores: [1, 1, 1, 1] })), want: RECEIVED },
      { call: post('/register', REGISTRATION), want: { status: 200 } },
      {
        call: get('/info'),
        want: { status: 200, json: { batch_size: 8, max_token_len: 64 } },
        original: { status: 200, json: { batch_size: -1, max_token_len: 64 } },
      },
      { call: post('/scored_data', group(4, { scores: [2, 2, 2, 2] })), want: RECEIVED },
      { call: get('/batch'), want: batchScored(1, 2), original: NO_BATCH },
    ],
  },
  {
    name: 'broken-gzip',
    promises: verifies('deviation-broken-gzip'),
    from: 'environment',
    steps: [
      { call: postRaw('/scored_data', COMPRESSED.subarray(0, -10), GZIP), want: { status: 400 }, original: CRASH },
      { call: postRaw('/scored_data', BROKEN, GZIP), want: { status: 400 }, original: CRASH },
      statusIs(7, 0),
    ],
  },
  {
    name: 'status-env-unknown',
    promises: verifies('deviation-unknown-env'),
    from: 'environment',
    steps: [
      { call: get('/status-env', { env_id: 99 }), want: { status: 404 }, original: CRASH },
      { call: get('/status-env', { env_id: -2 }), want: { status: 404 }, original: CRASH },
      { call: get('/reset_data'), want: { status: 200 } },
      { call: get('/status-env', { env_id: 0 }), want: { status: 404 }, original: CRASH },
    ],
  },
  {
    name: 'status-env-query',
    promises: verifies('deviation-env-query'),
    from: 'environment',
    steps: [
      { call: get('/status-env?env_id=0'), want: { status: 200 }, original: NO_BODY },
      { call: get('/status-env?env_id=99'), want: { status: 404 }, original: NO_BODY },
      { call: get('/status-env?env_id=x'), want: NO_BODY },
    ],
  },
  {
    name: 'batch-after-reset',
    promises: verifies('deviation-reset-batch', 'batch-unregistered'),
    from: 'environment',
    steps: [
      { call: get('/reset_data'), want: { status: 200 } },
      { call: get('/batch'), want: NOT_REGISTERED, original: CRASH },
      { call: post('/register', REGISTRATION), want: { status: 200 } },
      { call: get('/info'), want: { status: 200, json: { batch_size: 8, max_token_len: 64 } } },
    ],
  },
  {
    name: 'zero-weight',
    promises: verifies('deviation-zero-weight'),
    from: 'started',
    steps: [
      { call: post('/register-env', { ...ENVIRONMENT, weight: 0 }), want: { status: 200 } },
      { call: get('/status-env', { env_id: 0 }), want: { status: 200 }, original: CRASH },
      { call: post('/register-env', { ...ENVIRONMENT, weight: -1 }), want: { status: 200 } },
      { call: get('/status-env', { env_id: 1 }), want: { status: 200 }, original: CRASH },
    ],
  },
  {
    name: 'refusal-does-not-echo',
    promises: verifies('deviation-no-echo', 'refusal-detail'),
    from: 'environment',
    steps: [
      {
        call: post('/scored_data', { tokens: [[1]], scores: [exact('0.123456')] }),
        want: { status: 422, matches: /^(?!.*0\.123456).*$/s, loc: ['body', 'masks'] },
        original: { status: 422, matches: /0\.123456/, loc: ['body', 'masks'] },
      },
    ],
  },
];
