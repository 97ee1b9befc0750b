import { expect, test } from 'vitest';
import { z } from 'zod';

import { ROUTE_ANSWERS } from '../../packages/server/src/http/define-route.ts';
import { ANSWERS, findUndocumented } from './find-undocumented.ts';

const find = (schema: z.ZodType, answer: unknown, contentType = 'application/json'): string | undefined =>
  findUndocumented({ route: { method: 'GET', path: '/x', reply: { contentType, schema } }, answer });
const schema = z.object({ runs: z.array(z.object({ id: z.string(), at: z.int().optional() })) });

test('the channel is the one that routes tell their answers on', () => {
  expect(ANSWERS).toBe(ROUTE_ANSWERS);
});

test('an answer that fits is let by, as are streams and what was sent by hand', () => {
  expect(find(schema, { runs: [{ id: 'a' }, { id: 'b', at: undefined }] })).toBeUndefined();
  expect(find(schema, 'event', 'text/event-stream')).toBeUndefined();
  expect(find(schema, undefined)).toBeUndefined();
  expect(find(z.looseObject({}), { any: { thing: 1 } })).toBeUndefined();
});

test('a value that does not fit and a field that is not in the document are named', () => {
  expect(find(schema, { runs: [{ id: 1 }] })).toContain('GET /x answered what its document does not say: runs.0.id');
  expect(find(schema, { runs: [{ id: 'a', secret: 1 }] })).toBe(
    'GET /x answered the field runs.0.secret, which its document does not have',
  );
});
