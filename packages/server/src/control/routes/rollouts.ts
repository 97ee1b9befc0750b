import {
  GROUP_FRAMES_CONTENT_TYPE,
  LachesisError,
  PACKED_GROUP_CONTENT_TYPE,
  rolloutSchemas,
} from '@lachesis/protocol';
import { encodeFramePrefix } from '@lachesis/protocol/codec';
import type { TrainingRun } from '@lachesis/store';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { listRunSteps } from '../../services/runs/rollouts/list-run-steps.ts';
import { readRunGroup, readRunGroupPayload } from '../../services/runs/rollouts/read-run-group.ts';
import { readRunStep, readRunStepPayloads } from '../../services/runs/rollouts/read-run-step.ts';
import type { RolloutDeps } from '../../services/runs/rollouts/rollout-deps.ts';

/** The rollouts that a run was trained on. */
export function createRolloutRoutes(options: {
  deps: RolloutDeps;
  /** Throws when there is none. */
  findRun: (tenantId: string, shortId: string) => Promise<TrainingRun>;
}): Route[] {
  const { deps, findRun } = options;
  return [
    defineRoute({
      method: 'GET',
      path: '/runs/:id/steps',
      scope: 'view',
      runParameter: 'id',
      summary: 'The steps of a run, the newest first: groups, rewards, and whether their rollouts are kept.',
      query: rolloutSchemas.listQuery,
      reply: rolloutSchemas.list,
      handle: async ({ principal, params, query }) =>
        await listRunSteps({ store: deps.store, run: await findRun(principal.tenantId, params.id), query }),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/steps/:step',
      scope: 'view',
      runParameter: 'id',
      summary: `The groups of a step with scores and advantages; packed, each behind its length, for who accepts ${GROUP_FRAMES_CONTENT_TYPE}.`,
      query: rolloutSchemas.pageQuery,
      reply: jsonOrByHand(rolloutSchemas.page),
      handle: async ({ principal, params, query, request, reply }) => {
        const run = await findRun(principal.tenantId, params.id);
        const asked = { deps, run, step: readStepNumber(params.step), query };
        if (!accepts(request, GROUP_FRAMES_CONTENT_TYPE)) return await readRunStep(asked);
        // The first is read before the reply begins, so that what cannot be read is an answer and no broken stream.
        const frames = writeFrames(readRunStepPayloads(asked));
        const first = await frames.next();
        return reply.type(GROUP_FRAMES_CONTENT_TYPE).send(Readable.from(resume(first, frames), { objectMode: false }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/groups/:group',
      scope: 'view',
      runParameter: 'id',
      summary: `One group whole: messages, tokens, mask, log probabilities, advantages; packed for who accepts ${PACKED_GROUP_CONTENT_TYPE}.`,
      query: rolloutSchemas.groupQuery,
      reply: jsonOrByHand(rolloutSchemas.group),
      handle: async ({ principal, params, query, request, reply }) => {
        const run = await findRun(principal.tenantId, params.id);
        const asked = { deps, run, groupId: params.group };
        if (!accepts(request, PACKED_GROUP_CONTENT_TYPE)) return await readRunGroup({ ...asked, query });
        const bytes = await readRunGroupPayload(asked);
        return reply
          .type(PACKED_GROUP_CONTENT_TYPE)
          .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      },
    }),
  ];
}

const accepts = ({ headers }: FastifyRequest, type: string): boolean => headers.accept?.includes(type) ?? false;

async function* writeFrames(payloads: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const payload of payloads) {
    yield encodeFramePrefix(payload.length);
    yield payload;
  }
}

async function* resume(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

function readStepNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(text.slice(0, 100))} is not the number of a step`,
    hint: 'GET /runs/{id}/steps lists them.',
  });
}
