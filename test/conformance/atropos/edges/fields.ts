import { exact } from '../exact-json.ts';
import type { RequirementId } from '../requirements.ts';
import { verifies } from '../requirements.ts';
import { RECEIVED, batchOfOne, get, group, one, post, postRaw } from './edge-case.ts';
import type { EdgeCase } from './edge-case.ts';

/** A group with these fields is taken and delivered with those. */
function passes(
  name: string,
  promises: readonly RequirementId[],
  fields: Record<string, unknown>,
  delivered: Record<string, unknown> = fields,
): EdgeCase {
  return {
    name,
    promises,
    from: 'single',
    steps: [
      { call: post('/scored_data', one(fields)), want: RECEIVED },
      { call: get('/batch'), want: { status: 200, json: batchOfOne(delivered) } },
    ],
  };
}

/** A group with these fields is 422, names the place, and is not kept. */
function refuses(
  name: string,
  promises: readonly RequirementId[],
  fields: Record<string, unknown>,
  loc: readonly (string | number)[],
): EdgeCase {
  return {
    name,
    promises: [...promises, ...verifies('refusal-detail')],
    from: 'single',
    steps: [
      { call: post('/scored_data', one(fields)), want: { status: 422, loc } },
      { call: get('/batch'), want: { status: 200, json: { batch: null } } },
    ],
  };
}

const INT_PROMISES = verifies('int-coercion');
const FLOAT_PROMISES = verifies('float-coercion', 'floats-stay-floats');

/** The fields of a group: what is coerced, what passes, what is refused. */
export const FIELD_CASES: readonly EdgeCase[] = [
  passes('smallest-group', verifies('scored-data', 'batch', 'fourteen-keys'), {}),
  passes('int-from-string', INT_PROMISES, { tokens: [['5', 2]] }, { tokens: [[5, 2]] }),
  passes('int-from-true', INT_PROMISES, { tokens: [[true, false]] }, { tokens: [[1, 0]] }),
  passes('int-from-float', INT_PROMISES, { tokens: [[exact('1.0'), exact('2e2')]] }, { tokens: [[1, 200]] }),
  passes('mask-from-float', INT_PROMISES, { masks: [[exact('-100.0'), '2']] }, { masks: [[-100, 2]] }),
  passes('env-id-from-string', verifies('int-coercion', 'env-id-optional'), { env_id: '40' }, { env_id: 40 }),
  passes('env-id-unregistered', verifies('env-id-optional'), { env_id: 999 }),
  passes('big-integer', verifies('big-integers'), {
    tokens: [[exact('9007199254740993'), exact('1152921504606846977')]],
  }),
  refuses('int-with-fraction', INT_PROMISES, { tokens: [[1.5, 2]] }, ['body', 'tokens', 0, 0]),
  refuses('int-from-word', INT_PROMISES, { tokens: [[1, 'two']] }, ['body', 'tokens', 0, 1]),
  refuses('int-null', INT_PROMISES, { masks: [[null]] }, ['body', 'masks', 0, 0]),
  passes('float-from-int', FLOAT_PROMISES, { scores: [1] }, { scores: [exact('1.0')] }),
  passes('float-from-string', FLOAT_PROMISES, { scores: ['0.5'] }, { scores: [0.5] }),
  passes('float-from-true', FLOAT_PROMISES, { scores: [true] }, { scores: [exact('1.0')] }),
  passes('float-minus-zero', FLOAT_PROMISES, { scores: [exact('-0.0')] }),
  passes('float-exponents', FLOAT_PROMISES, {
    scores: [exact('1e-07')],
    advantages: [[exact('1e22'), exact('5e-324')]],
  }),
  passes(
    'float-fields',
    FLOAT_PROMISES,
    { advantages: [[1, 0]], ref_logprobs: [[-1, 2.5]], inference_logprobs: [[1, -0.5]] },
    {
      advantages: [[exact('1.0'), exact('0.0')]],
      ref_logprobs: [[exact('-1.0'), 2.5]],
      inference_logprobs: [[exact('1.0'), -0.5]],
    },
  ),
  refuses('float-from-word', FLOAT_PROMISES, { scores: ['high'] }, ['body', 'scores', 0]),
  refuses('float-null', FLOAT_PROMISES, { scores: [null] }, ['body', 'scores', 0]),
  refuses('masks-missing', verifies('required-fields'), { masks: undefined }, ['body', 'masks']),
  refuses('tokens-missing', verifies('required-fields'), { tokens: undefined }, ['body', 'tokens']),
  refuses('scores-null', verifies('required-fields'), { scores: null }, ['body', 'scores']),
  refuses('tokens-flat', verifies('required-fields'), { tokens: [1, 2] }, ['body', 'tokens', 0]),
  passes('lengths-differ', verifies('no-cross-checks'), {
    masks: [[-100]],
    scores: [0.5, 0.25],
    inference_logprobs: [[0.5]],
  }),
  passes('empty-lists', verifies('empty-lists'), {
    advantages: [],
    ref_logprobs: [],
    messages: [],
    overrides: [],
    images: [],
    group_overrides: {},
  }),
  passes('unknown-field', verifies('unknown-fields'), { policy: { step: 3 } }, {}),
  passes('messages', verifies('messages-shape', 'number-text', 'unicode'), {
    messages: [
      [{ role: 'user', content: 'hé ☃ 😀 \u0001', reward: null, x: [1, exact('2.0'), exact('1e-07'), { y: [] }] }],
    ],
  }),
  passes('message-content-any', verifies('messages-shape'), {
    messages: [[{ role: null, content: [{ type: 'text', text: '' }] }]],
  }),
  refuses('message-without-content', verifies('messages-shape'), { messages: [[{ role: 'user' }]] }, [
    'body',
    'messages',
  ]),
  refuses('message-without-role', verifies('messages-shape'), { messages: [[{ content: 'x' }]] }, ['body', 'messages']),
  passes('overrides', verifies('overrides-shape', 'number-text'), {
    overrides: [{ set_advantage_to_zero: true, temperature: 1 }],
    group_overrides: { group_size: 8, k: { a: [1, 'b', 2.5, exact('3.0')] } },
    generation_params: { temperature: exact('1.0'), n: 4 },
  }),
  refuses('overrides-of-null', verifies('overrides-shape'), { overrides: [null] }, ['body', 'overrides', 0]),
  refuses('group-overrides-list', verifies('overrides-shape'), { group_overrides: [] }, ['body', 'group_overrides']),
  passes('images-list', verifies('images-anything'), { images: ['data:image/png;base64,AA==', null, exact('1.0')] }),
  passes('images-scalar', verifies('images-anything'), { images: false }),
  passes(
    'distill',
    verifies('distill-fields', 'float-coercion'),
    { distill_token_ids: [[[1, 2], []]], distill_logprobs: [[[-0.5, -1], []]] },
    { distill_token_ids: [[[1, 2], []]], distill_logprobs: [[[-0.5, exact('-1.0')], []]] },
  ),
  refuses('distill-two-levels', verifies('distill-fields'), { distill_token_ids: [[1]] }, [
    'body',
    'distill_token_ids',
    0,
    0,
  ]),
  {
    name: 'escaped-text',
    promises: verifies('unicode'),
    from: 'single',
    steps: [
      {
        call: postRaw(
          '/scored_data',
          '{"tokens":[[1,2]],"masks":[[-100,2]],"scores":[1.0],"group_overrides":{"t":"\\u00e9\\ud83d\\ude00\\n\\/"}}',
        ),
        want: RECEIVED,
      },
      { call: get('/batch'), want: { status: 200, json: batchOfOne({ group_overrides: { t: 'é😀\n/' } }) } },
    ],
  },
  {
    name: 'key-given-twice',
    promises: verifies('last-key-wins'),
    from: 'single',
    steps: [
      {
        call: postRaw('/scored_data', '{"tokens":[[9]],"masks":[[-100,2]],"scores":[1.0],"tokens":[[1,2]]}'),
        want: RECEIVED,
      },
      { call: get('/batch'), want: { status: 200, json: batchOfOne() } },
    ],
  },
  {
    name: 'shape-of-body',
    promises: verifies('shape-of-body'),
    from: 'environment',
    steps: [
      { call: post('/scored_data', [group(4)]), want: { status: 422, loc: ['body'] } },
      { call: post('/scored_data_list', group(4)), want: { status: 422, loc: ['body'] } },
      { call: postRaw('/scored_data', 'null'), want: { status: 422, loc: ['body'] } },
      { call: get('/status'), want: { status: 200, json: { current_step: 7, queue_size: 0 } } },
    ],
  },
];
