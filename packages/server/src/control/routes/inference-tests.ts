import { inferenceTestRequestSchema, inferenceTestSchema } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import type { InferenceTests } from '../../services/runs/inference-test/create-inference-tests.ts';

/** A hundred prompts of some pages each. */
const PROMPTS_BYTES = 1024 ** 2;

/** Tests of inference. */
export function createInferenceTestRoutes(tests: Pick<InferenceTests, 'read' | 'start'>): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/test/inference',
      scope: 'run:admin',
      summary: 'Try models on prompts, or on tasks of the selected environment. A longer test comes back as running.',
      body: jsonBody(inferenceTestRequestSchema),
      maxBodyBytes: PROMPTS_BYTES,
      reply: inferenceTestSchema,
      handle: ({ principal, body }) => tests.start(principal.tenantId, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/test/inference/:id',
      scope: 'view',
      summary: 'What a test has so far.',
      reply: inferenceTestSchema,
      handle: async ({ principal, params }) => tests.read(principal.tenantId, params.id),
    }),
  ];
}
