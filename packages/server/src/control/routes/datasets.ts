import {
  datasetCheckQuerySchema,
  datasetDeletionSchema,
  datasetImportSchema,
  datasetListSchema,
  datasetMakeSchema,
  datasetPieceSchemas,
  datasetReportSchema,
  datasetRequestSchema,
  datasetVersionSchema,
  exportLineSchema,
  exportQuerySchema,
  heldOutReplySchema,
  heldOutRequestSchema,
  madeDatasetSchema,
  type ExportLine,
} from '@lachesis/protocol';
import { listDatasets, readDatasetRows } from '@lachesis/store';
import { Readable } from 'node:stream';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody, jsonListBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import {
  checkDataset,
  createLibraryDataset,
  importDataset,
  listHeldOut,
  makeLibraryDataset,
  needDataset,
  openExport,
} from '../../services/library/datasets.ts';
import { deleteLibraryDataset } from '../../services/library/delete-dataset.ts';
import { createImportPieces } from '../../services/library/import-pieces.ts';
import { sendLines } from '../streams/lines.ts';
import type { LibraryDeps } from './library-deps.ts';

/** Data sets: named versions that never change. */
export function createDatasetRoutes(parts: LibraryDeps): Route[] {
  const pieces = createImportPieces({ parts, secret: parts.secret });
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/datasets',
      scope: 'view',
      summary: 'Every version of every data set.',
      reply: datasetListSchema,
      handle: async ({ principal }) => ({
        datasets: await listDatasets({ store: parts.store, tenantId: principal.tenantId }),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/datasets',
      scope: 'run:admin',
      summary: 'Make a version from rows. The same rows give the version that is there; a held-out row is refused.',
      body: jsonListBody(datasetRequestSchema, 'rows'),
      maxBodyBytes: LARGE_BODY,
      reply: datasetVersionSchema,
      handle: async ({ principal, body, about }) => {
        const { redactor } = parts;
        const made = await createLibraryDataset({ ...scopeOf(parts, principal.tenantId), redactor, dataset: body });
        about({ dataset: `${made.name}@${made.version}` });
        return made;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/datasets/:ref',
      scope: 'view',
      summary: 'One version: `name` for the newest, `name@3` for the third.',
      reply: datasetVersionSchema,
      handle: ({ principal: { tenantId }, params }) => needDataset({ store: parts.store, tenantId, ref: params.ref }),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/datasets/:ref',
      scope: 'run:admin',
      summary: 'Delete one version, `name@3`, with its rows. A version that a model learnt from only with `force`.',
      query: datasetDeletionSchema,
      reply: datasetVersionSchema,
      handle: async ({ principal: { tenantId }, params: { ref }, query, about }) => {
        const isForced = query.force === true;
        const gone = await deleteLibraryDataset({ ...scopeOf(parts, tenantId), ref, isForced });
        about({ dataset: `${gone.name}@${gone.version}` });
        return gone;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/datasets/:ref/rows',
      scope: 'view',
      summary: 'The rows of a version, one JSON object a line.',
      reply: sentByHand('application/x-ndjson'),
      handle: async ({ principal, params, reply }) =>
        reply.type('application/x-ndjson').send(Readable.from(await streamRows(parts, principal.tenantId, params.ref))),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/datasets/:ref/check',
      scope: 'view',
      summary: 'What would go wrong in training with the rows of a version: which rows, and what to do.',
      query: datasetCheckQuerySchema,
      reply: datasetReportSchema,
      handle: ({ principal: { tenantId }, params, query }) =>
        checkDataset({ ...scopeOf(parts, tenantId), ref: params.ref, contextTokens: query.context }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/datasets/:name/make',
      scope: 'run:admin',
      summary: 'Make a version from what was recorded: a filter, then transforms. Says what was left out.',
      body: jsonBody(datasetMakeSchema),
      reply: madeDatasetSchema,
      handle: async ({ principal: { tenantId }, params, body, about }) => {
        // What an application left a moment ago is part of what was recorded.
        await parts.drain?.();
        const made = await makeLibraryDataset({ ...scopeOf(parts, tenantId), name: params.name, make: body });
        about({ dataset: `${made.dataset.name}@${made.dataset.version}` });
        return made;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/datasets/:name/import',
      scope: 'run:admin',
      summary: 'Make a version from rows of a file, by what people allowed. Says what was left out and taken out.',
      body: jsonListBody(datasetImportSchema, 'rows'),
      maxBodyBytes: LARGE_BODY,
      reply: madeDatasetSchema,
      handle: async ({ principal: { tenantId }, params, body: { rows, ...make }, about }) => {
        const { redactor } = parts;
        const made = await importDataset({ ...scopeOf(parts, tenantId), name: params.name, redactor, rows, make });
        about({ dataset: `${made.dataset.name}@${made.dataset.version}` });
        return made;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/datasets/:name/import/pieces',
      scope: 'run:admin',
      audit: 'count',
      summary:
        'Some rows of a file that is too large for one request. They are part of no set until all are made into a version.',
      body: jsonListBody(datasetPieceSchemas.rows, 'rows'),
      maxBodyBytes: LARGE_BODY,
      reply: datasetPieceSchemas.kept,
      handle: ({ principal: { tenantId }, params: { name }, body: { rows } }) => pieces.add({ tenantId, name, rows }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/datasets/:name/import/pieces/make',
      scope: 'run:admin',
      summary:
        'Make a version from pieces, as from rows: whole or not at all. One JSON object a line while it waits, the last one what was made.',
      body: jsonBody(datasetPieceSchemas.make),
      maxBodyBytes: LARGE_BODY,
      reply: sentByHand('application/x-ndjson', datasetPieceSchemas.line),
      handle: async ({ principal: { tenantId }, params: { name }, body: make, about, ...call }) => {
        call.releaseBody();
        // Before its reply begins, of which the audit log waits for no end.
        about({ dataset: name });
        return await sendLines(call, (signal) => pieces.make({ tenantId, name, make, signal }));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/held-out',
      scope: 'view',
      audit: 'none',
      summary: 'Which of these digests of rows are in a held-out set, and in which.',
      body: jsonBody(heldOutRequestSchema),
      maxBodyBytes: HELD_OUT_BYTES,
      reply: heldOutReplySchema,
      handle: async ({ principal: { tenantId }, body: { digests } }) => ({
        held_out: await listHeldOut({ store: parts.store, tenantId, digests }),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/export',
      scope: 'view',
      audit: 'line',
      summary:
        'Rows of a data set, or those that a filter finds, without those that people did not allow and those held out: one JSON object a line, at the end what was left out.',
      query: exportQuerySchema,
      reply: sentByHand('application/x-ndjson', exportLineSchema),
      handle: async ({ principal: { tenantId }, query, reply, about }) => {
        await parts.drain?.();
        const open = await openExport({ ...scopeOf(parts, tenantId), query });
        if (open.dataset !== null) about({ dataset: `${open.dataset.name}@${open.dataset.version}` });
        const lines = async function* (): AsyncGenerator<string> {
          const write = (line: ExportLine): string => `${JSON.stringify(line)}\n`;
          yield write({ dataset: open.dataset });
          for await (const row of open.rows) yield write({ row });
          yield write({ dropped: open.dropped() });
        };
        return reply.type('application/x-ndjson').send(Readable.from(lines()));
      },
    }),
  ];
}

/** Ten thousand digests. */
const HELD_OUT_BYTES = 1024 ** 2;

const scopeOf = ({ store, blobs }: LibraryDeps, tenantId: string) => ({ store, blobs, tenantId });

async function streamRows(parts: LibraryDeps, tenantId: string, ref: string): Promise<AsyncIterable<string>> {
  const scope = scopeOf(parts, tenantId);
  const { dataset_id: datasetId } = await needDataset({ ...scope, ref });
  return (async function* () {
    for await (const row of readDatasetRows({ ...scope, datasetId })) yield `${JSON.stringify(row)}\n`;
  })();
}
