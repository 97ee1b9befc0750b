import {
  datasetListSchema,
  datasetRequestSchema,
  datasetVersionSchema,
  LachesisError,
  type DatasetVersion,
} from '@lachesis/protocol';
import { createDatasetVersion, findDataset, HeldOutError, listDatasets, readDatasetRows } from '@lachesis/store';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { LARGE_BODY, type Route, type RouteCall } from '../../platform/http/route.ts';
import type { LibraryParts } from './library-parts.ts';
import { readListBody, readParameter } from './read-body.ts';

/** Data sets: named versions that never change. */
export function createDatasetRoutes(parts: LibraryParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/datasets',
      scope: 'view',
      perRun: false,
      summary: 'Every version of every data set.',
      response: { contentType: 'application/json', schema: datasetListSchema },
      handle: async ({ principal }) => ({
        datasets: await listDatasets({ store: parts.store, tenantId: principal.tenantId }),
      }),
    },
    {
      method: 'POST',
      path: '/v1/datasets',
      scope: 'run:admin',
      perRun: false,
      summary: 'Make a version from rows. The same rows give the version that is there; a held-out row is refused.',
      body: { contentType: 'application/json', schema: datasetRequestSchema },
      maxBodyBytes: LARGE_BODY,
      response: { contentType: 'application/json', schema: datasetVersionSchema },
      handle: (call) => create(parts, call),
    },
    {
      method: 'GET',
      path: '/v1/datasets/:ref',
      scope: 'view',
      perRun: false,
      summary: 'One version: `name` for the newest, `name@3` for the third.',
      response: { contentType: 'application/json', schema: datasetVersionSchema },
      handle: (call) => find(parts, call),
    },
    {
      method: 'GET',
      path: '/v1/datasets/:ref/rows',
      scope: 'view',
      perRun: false,
      summary: 'The rows of a version, one JSON object a line.',
      response: { contentType: 'application/x-ndjson' },
      handle: (call) => streamRows(parts, call),
    },
  ];
}

async function create({ store, blobs }: LibraryParts, call: RouteCall): Promise<DatasetVersion> {
  const { tenantId } = call.principal;
  const { frame, items: rows } = await readListBody(call, {
    key: 'rows',
    schema: datasetRequestSchema.extend({ rows: z.array(z.unknown()).min(1) }),
    item: datasetRequestSchema.shape.rows.element,
  });
  const { name, is_held_out: isHeldOut, recipe = null } = frame;
  try {
    const made = await createDatasetVersion({ store, blobs, tenantId, name, isHeldOut, recipe, rows });
    call.about({ dataset: `${made.name}@${made.version}` });
    return made;
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

async function find({ store }: LibraryParts, { request, principal }: RouteCall): Promise<DatasetVersion> {
  const ref = readParameter(request, 'ref');
  const found = await findDataset({ store, tenantId: principal.tenantId, ref });
  if (found !== undefined) return found;
  throw new LachesisError({
    code: 'not-found',
    message: `there is no data set ${JSON.stringify(ref.slice(0, 200))}`,
    hint: 'GET /v1/datasets lists what there is.',
  });
}

async function streamRows(parts: LibraryParts, call: RouteCall): Promise<unknown> {
  const dataset = await find(parts, call);
  const { store, blobs } = parts;
  const { tenantId } = call.principal;
  const rows = readDatasetRows({ store, blobs, tenantId, datasetId: dataset.dataset_id });
  const lines = async function* (): AsyncGenerator<string> {
    for await (const row of rows) yield `${JSON.stringify(row)}\n`;
  };
  return call.reply.type('application/x-ndjson').send(Readable.from(lines()));
}
