import {
  lineageQuerySchema,
  lineageSchema,
  modelAdapterLineSchema,
  modelChangeSchema,
  modelComparisonLineSchema,
  modelComparisonSchema,
  modelDetailSchema,
  modelEvaluationSchema,
  modelPromotionSchema,
  modelQuerySchema,
  modelSampleSchemas,
  modelVersionListSchema,
} from '@lachesis/protocol';
import { createReadStream } from 'node:fs';
import type { z } from 'zod';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { refuseNul } from '../../http/read-query.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import type { AdapterShelf } from '../../services/models/adapter-shelf.ts';
import type { EnginePlace } from '../../services/models/bring-adapter.ts';
import { compareOnDataset } from '../../services/models/compare.ts';
import { nameOf } from '../../services/models/find-start.ts';
import { readLineage } from '../../services/models/lineage.ts';
import {
  saveEvaluation,
  listRegisteredModels,
  promoteRegisteredModel,
  rollBackModel,
  showModel,
} from '../../services/models/models.ts';
import { sampleReplies } from '../../services/models/sample-replies.ts';
import { sendLines } from '../streams/lines.ts';
import type { LibraryDeps } from './library-deps.ts';

export interface ModelRouteDeps extends Pick<LibraryDeps, 'blobs' | 'store'> {
  /** The engine of this server. */
  findEngine: () => Promise<EnginePlace>;
  adapters: AdapterShelf;
}

/** What was measured by whoever measured it is some numbers and names. */
const EVALUATION_BYTES = 64 * 1024;

/** Registered models, what their names serve, and what was made from what. The models of an inference server are its own. */
export function createModelRoutes({ store, blobs, findEngine, adapters }: ModelRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/models',
      scope: 'view',
      summary: 'Registered models, the newest version first, and which one each name serves.',
      query: modelQuerySchema,
      reply: modelVersionListSchema,
      handle: async ({ principal: { tenantId }, query }) => ({
        models: await listRegisteredModels({ store, tenantId, name: query.name }),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/models/:ref',
      scope: 'view',
      summary: 'One model: `name` for its newest version, `name@3` for the third, or an id.',
      reply: modelDetailSchema,
      handle: ({ principal: { tenantId }, params }) => showModel({ store, tenantId, ref: params.ref }),
    }),
    defineRoute({
      method: 'POST',
      path: '/models/:ref/promote',
      scope: 'run:admin',
      summary: 'Make a version the one its name serves. Inference servers of that name take it within a second.',
      body: jsonBody(modelChangeSchema),
      reply: modelPromotionSchema,
      handle: async ({ principal: { tenantId }, params, body: change, about }) => {
        refuseNul(Object.values(change), 'the change');
        const promotion = await promoteRegisteredModel({ store, tenantId, ref: params.ref, change });
        about({ model: nameOf(promotion) });
        return promotion;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/:name/rollback',
      scope: 'run:admin',
      summary: 'Go back to what a name served before its last promotion.',
      body: jsonBody(modelChangeSchema),
      reply: modelPromotionSchema,
      handle: async ({ principal: { tenantId }, params, body: change, about }) => {
        refuseNul(Object.values(change), 'the change');
        const promotion = await rollBackModel({ store, tenantId, name: params.name, change });
        about({ model: nameOf(promotion) });
        return promotion;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/:ref/evaluations',
      scope: 'run:admin',
      summary: 'Keep what was measured of a model with it. The same result under the same name is kept once.',
      body: jsonBody(modelEvaluationSchema),
      maxBodyBytes: EVALUATION_BYTES,
      reply: modelDetailSchema,
      handle: async ({ principal: { tenantId }, params, body: evaluation, about }) => {
        refuseNul([JSON.stringify(evaluation)], 'the evaluation');
        about({ model: params.ref, evaluation: evaluation.name });
        return await saveEvaluation({ store, tenantId, ref: params.ref, evaluation });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/compare',
      scope: 'run:admin',
      summary:
        'Measure two models on the same rows of a data set, on the engine of the server: one JSON object a line as it comes, the last one `{"done":true}`.',
      body: jsonBody(modelComparisonSchema),
      reply: sentByHand('application/x-ndjson', modelComparisonLineSchema),
      handle: async ({ principal: { tenantId }, body: comparison, about, ...call }) => {
        refuseNul([JSON.stringify(comparison)], 'the comparison');
        about({ left: comparison.left, right: comparison.right, dataset: comparison.dataset });
        return await sendLines(call, (signal) =>
          compareOnDataset({ store, blobs, tenantId, comparison, findEngine, signal }),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/sample',
      scope: 'run:admin',
      summary:
        'Replies of a model from given tokens on, on the engine of the server: one JSON object a line as it comes, the last one `{"done":true}`.',
      body: jsonBody(modelSampleSchemas.ask),
      maxBodyBytes: LARGE_BODY,
      reply: sentByHand('application/x-ndjson', modelSampleSchemas.line),
      handle: async ({ principal: { tenantId }, body: ask, about, ...call }) => {
        call.releaseBody();
        refuseNul([ask.model], 'the model');
        about({ ...(ask.model === undefined ? {} : { model: ask.model }), prompts: String(ask.prompts.length) });
        return await sendLines(call, (signal) => sampleReplies({ store, tenantId, ask, findEngine, signal }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/models/:ref/adapter',
      scope: 'run:admin',
      audit: 'line',
      summary:
        'The files of the trained weights with their digests; they are brought from the engine first, and the last line is the list.',
      reply: sentByHand('application/x-ndjson', modelAdapterLineSchema),
      handle: async ({ principal: { tenantId }, params, about, ...call }) => {
        about({ model: params.ref });
        return await sendLines(call, async function* (): AsyncGenerator<z.infer<typeof modelAdapterLineSchema>> {
          yield { adapter: await adapters.open({ store, tenantId, ref: params.ref }) };
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/models/:ref/adapter/:file',
      scope: 'run:admin',
      audit: 'line',
      summary: 'One of those files, whole or with `Range: bytes=N-` from a byte on. Its ETag is its SHA-256.',
      reply: sentByHand('application/octet-stream'),
      handle: async ({ principal: { tenantId }, params, request: { headers }, reply, about }) => {
        const { path, bytes, sha256 } = await adapters.find({ store, tenantId, ref: params.ref, file: params.file });
        about({ model: params.ref, file: params.file });
        const etag = `"${sha256}"`;
        reply.header('etag', etag);
        if (headers['if-none-match'] === etag) return reply.code(304).send();
        const start = headers['if-range'] === etag ? readStart(headers.range, bytes) : 0;
        if (start > 0) reply.code(206).header('content-range', `bytes ${start}-${bytes - 1}/${bytes}`);
        reply.header('content-length', bytes - start).type('application/octet-stream');
        return reply.send(createReadStream(path, { start }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/lineage/:what',
      scope: 'view',
      summary:
        'What something was made from and what was made of it: `model:support@2`, `feedback:<id>`, `reply:<id>`.',
      query: lineageQuerySchema,
      reply: lineageSchema,
      handle: ({ principal: { tenantId }, params, query }) =>
        readLineage({ store, tenantId, what: params.what, limit: query.limit }),
    }),
  ];
}

/** Where the rest begins; 0 for the whole, also where the range is not one that we know. */
function readStart(range: string | undefined, bytes: number): number {
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  return start < bytes ? start : 0;
}
