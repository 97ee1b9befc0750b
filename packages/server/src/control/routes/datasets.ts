import {
  datasetListSchema,
  datasetRequestSchema,
  datasetVersionSchema,
  LachesisError,
  type DatasetVersion,
} from '@lachesis/protocol';
import { createDatasetVersion, findDataset, HeldOutError, listDatasets, readDatasetRows } from '@lachesis/store';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonListBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import { redactRow } from '../../services/library/redact-row.ts';
import type { LibraryParts } from './library-parts.ts';

/** Data sets: named versions that never change. */
export function createDatasetRoutes(parts: LibraryParts): Route[] {
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
        const made = await create(parts, principal.tenantId, body);
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
      handle: ({ principal, params }) => find(parts, principal.tenantId, params.ref),
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
  ];
}

async function create(
  { store, blobs, redactor }: LibraryParts,
  tenantId: string,
  { name, is_held_out: isHeldOut, recipe = null, rows }: z.output<typeof datasetRequestSchema>,
): Promise<DatasetVersion> {
  try {
    const clean = rows.map((row) => redactRow(row, redactor).row);
    return await createDatasetVersion({ store, blobs, tenantId, name, isHeldOut, recipe, rows: clean });
  } catch (error) {
    if (!HeldOutError.isInstance(error)) throw error;
    throw new LachesisError({
      code: 'conflict',
      message: error.message,
      hint: 'Leave those rows out. What is held out is for measuring, and never for training.',
      cause: error,
    });
  }
}

async function find({ store }: LibraryParts, tenantId: string, ref: string): Promise<DatasetVersion> {
  const found = await findDataset({ store, tenantId, ref });
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'not-found',
    message: `there is no data set ${JSON.stringify(ref.slice(0, 200))}`,
    hint: 'GET /v1/datasets lists what there is.',
  });
}

async function streamRows(parts: LibraryParts, tenantId: string, ref: string): Promise<AsyncIterable<string>> {
  const dataset = await find(parts, tenantId, ref);
  const { store, blobs } = parts;
  const rows = readDatasetRows({ store, blobs, tenantId, datasetId: dataset.dataset_id });
  const lines = async function* (): AsyncGenerator<string> {
    for await (const row of rows) yield `${JSON.stringify(row)}\n`;
  };
  return lines();
}
