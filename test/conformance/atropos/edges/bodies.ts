import { gzipSync } from 'node:zlib';

import { verifies } from '../requirements.ts';
import { RECEIVED, get, group, postRaw } from './edge-case.ts';
import type { EdgeCase, Step } from './edge-case.ts';

const TEXT = JSON.stringify(group(4, { env_id: 0 }));
const GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const QUEUE_OF = (count: number): Step => ({
  call: get('/status'),
  want: { status: 200, json: { current_step: 7, queue_size: count } },
});

/** A group whose batch is far above the size from which replies are compressed. */
const LARGE = group(8, {
  messages: Array.from({ length: 8 }, () => [{ role: 'user', content: 'count '.repeat(100) }]),
});

/** Encodings, content types and broken bodies. */
export const BODY_CASES: readonly EdgeCase[] = [
  {
    name: 'gzip',
    promises: verifies('gzip-request'),
    from: 'environment',
    steps: [
      { call: postRaw('/scored_data', gzipSync(TEXT), GZIP), want: RECEIVED },
      { call: postRaw('/scored_data', gzipSync(TEXT), { ...GZIP, 'content-encoding': 'x-gzip' }), want: RECEIVED },
      { call: postRaw('/scored_data', gzipSync(TEXT), { ...GZIP, 'content-encoding': 'GZIP' }), want: RECEIVED },
      {
        call: postRaw('/scored_data', Buffer.concat([gzipSync(TEXT.slice(0, 20)), gzipSync(TEXT.slice(20))]), GZIP),
        want: RECEIVED,
      },
      {
        call: postRaw('/scored_data_list', gzipSync(`[${TEXT}]`), GZIP),
        want: { status: 200, json: { status: 'received', groups_processed: 1 } },
      },
      QUEUE_OF(5),
    ],
  },
  {
    name: 'gzip-garbage',
    promises: verifies('gzip-garbage', 'gzip-empty', 'deflate-refused'),
    from: 'environment',
    steps: [
      { call: postRaw('/scored_data', 'notgzip', GZIP), want: { status: 400, text: 'Invalid gzip payload' } },
      { call: postRaw('/scored_data', '', GZIP), want: { status: 422, loc: ['body'] } },
      { call: postRaw('/scored_data', gzipSync(''), GZIP), want: { status: 422, loc: ['body'] } },
      {
        call: postRaw('/scored_data', gzipSync(TEXT), { ...GZIP, 'content-encoding': 'deflate' }),
        want: { status: 400 },
      },
      QUEUE_OF(0),
    ],
  },
  {
    name: 'content-type',
    promises: verifies('content-type'),
    from: 'environment',
    steps: [
      { call: postRaw('/scored_data', TEXT, {}), want: { status: 422, loc: ['body'] } },
      { call: postRaw('/scored_data', TEXT, { 'content-type': 'text/plain' }), want: { status: 422, loc: ['body'] } },
      { call: postRaw('/scored_data', TEXT, { 'content-type': 'application/json; charset=utf-8' }), want: RECEIVED },
      { call: postRaw('/scored_data', TEXT, { 'content-type': 'application/vnd.group+json' }), want: RECEIVED },
      QUEUE_OF(2),
    ],
  },
  {
    name: 'invalid-json',
    promises: verifies('invalid-json'),
    from: 'environment',
    steps: [
      ...['{bad', '', '{"tokens":[[1,]]}', `${TEXT}x`, TEXT.slice(0, -1), '[1', '{"tokens":[[01]]}'].map(
        (body): Step => ({ call: postRaw('/scored_data', body), want: { status: 422 } }),
      ),
      QUEUE_OF(0),
    ],
  },
  {
    name: 'gzip-reply',
    promises: verifies('gzip-reply'),
    from: 'started',
    steps: [
      ...[1, 2].map((): Step => ({ call: postRaw('/scored_data', JSON.stringify(LARGE)), want: RECEIVED })),
      {
        call: { ...get('/info'), headers: { 'accept-encoding': 'gzip' } },
        want: { status: 200, header: { name: 'content-encoding', matches: undefined } },
      },
      {
        call: { ...get('/batch'), headers: { 'accept-encoding': 'gzip, deflate' } },
        want: {
          status: 200,
          matches: /^\{"batch": ?\[\{"tokens"/,
          header: { name: 'content-encoding', matches: /^gzip$/ },
        },
      },
      {
        call: get('/batch'),
        want: {
          status: 200,
          matches: /^\{"batch": ?\[\{"tokens"/,
          header: { name: 'content-encoding', matches: undefined },
        },
      },
    ],
  },
];
