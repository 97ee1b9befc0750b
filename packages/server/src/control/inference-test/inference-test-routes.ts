import { inferenceTestRequestSchema, inferenceTestSchema } from '@lachesis/protocol';
import type { Route } from '../../platform/http/route.ts';
import { readBody, readParameter } from '../library/read-body.ts';
import type { InferenceTests } from './create-inference-tests.ts';

/** A hundred prompts of some pages each. */
const PROMPTS_BYTES = 1024 ** 2;

/** Tests of inference. */
export function createInferenceTestRoutes(tests: Pick<InferenceTests, 'read' | 'start'>): Route[] {
  const response = { contentType: 'application/json', schema: inferenceTestSchema };
  return [
    {
      ...{ perRun: false, method: 'POST', path: '/test/inference', scope: 'run:admin' },
      summary: 'Try models on prompts, or on tasks of the selected environment. A longer test comes back as running.',
      body: { contentType: 'application/json', schema: inferenceTestRequestSchema },
      maxBodyBytes: PROMPTS_BYTES,
      response,
      handle: async (call) => tests.start(call.principal.tenantId, await readBody(call, inferenceTestRequestSchema)),
    },
    {
      ...{ perRun: false, method: 'GET', path: '/test/inference/:id', scope: 'view' },
      summary: 'What a test has so far.',
      response,
      handle: async ({ request, principal }) => tests.read(principal.tenantId, readParameter(request, 'id')),
    },
  ];
}
