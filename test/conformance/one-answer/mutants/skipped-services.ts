import { makeDataset, readLibrary } from '@lachesis/data';
import * as store from '@lachesis/store';

import * as datasets from '../../../../packages/server/src/services/library/datasets.ts';
import * as feedback from '../../../../packages/server/src/services/library/add-feedback.ts';
import * as names from '../../../../packages/server/src/services/library/find-by-beginning.ts';
import * as records from '../../../../packages/server/src/services/library/ingest-records.ts';
import * as outboxes from '../../../../packages/server/src/services/library/drain-outboxes.ts';
import * as rows from '../../../../packages/server/src/services/library/redact-row.ts';
import * as models from '../../../../packages/server/src/services/models/models.ts';

// Stands in the place of these modules, in a process that `skip-services.ts` was loaded into.
export * from '../../../../packages/server/src/services/library/datasets.ts';
export * from '../../../../packages/server/src/services/library/add-feedback.ts';
export * from '../../../../packages/server/src/services/library/find-by-beginning.ts';
export * from '../../../../packages/server/src/services/library/ingest-records.ts';
export * from '../../../../packages/server/src/services/library/drain-outboxes.ts';
export * from '../../../../packages/server/src/services/library/redact-row.ts';
export * from '../../../../packages/server/src/services/models/models.ts';

/** The service that this command does without. */
const isSkipped = (service: string): boolean => process.env['LACHESIS_TEST_SKIPPED'] === service;

export const ingestRecords: typeof records.ingestRecords = (options) => {
  if (!isSkipped('ingestRecords')) return records.ingestRecords(options);
  const { parts, tenantId, records: given } = options;
  return store.recordCaptures({ ...parts, tenantId, records: [...given] });
};

export const drainOutboxes: typeof outboxes.drainOutboxes = async (options) =>
  isSkipped('drainOutboxes')
    ? { delivered: 0, refused: 0, unreadable: 0, torn: 0 }
    : await outboxes.drainOutboxes(options);

export const addFeedback: typeof feedback.addFeedback = (options) =>
  isSkipped('addFeedback') ? store.writeFeedback(options) : feedback.addFeedback(options);

export const findTrajectoryId: typeof names.findTrajectoryId = async (options) =>
  isSkipped('findTrajectoryId') ? options.ref : await names.findTrajectoryId(options);

export const findJobName: typeof names.findJobName = async (options) =>
  isSkipped('findJobName') ? options.ref : await names.findJobName(options);

export const redactRow: typeof rows.redactRow = (row, redactor) =>
  isSkipped('redactRow') ? { row, found: 0 } : rows.redactRow(row, redactor);

export const makeLibraryDataset: typeof datasets.makeLibraryDataset = async (options) => {
  if (!isSkipped('makeLibraryDataset')) return await datasets.makeLibraryDataset(options);
  const { make, ...scope } = options;
  return { ...(await makeDataset({ ...scope, filter: make.filter, kind: make.kind })), redacted: 0 };
};

export const openExport: typeof datasets.openExport = async (options) => {
  if (!isSkipped('openExport')) return await datasets.openExport(options);
  const { query, ...scope } = options;
  const { dataset: ref, kind, purpose: _purpose, ...filter } = query;
  const dataset = ref === undefined ? undefined : await store.findDataset({ ...scope, ref });
  const found =
    dataset === undefined
      ? readLibrary({ ...scope, filter, kind })
      : store.readDatasetRows({ ...scope, datasetId: dataset.dataset_id });
  return {
    dataset: dataset ?? null,
    rows: found,
    dropped: () => [],
  };
};

export const promoteRegisteredModel: typeof models.promoteRegisteredModel = async (options) => {
  if (!isSkipped('promoteRegisteredModel')) return await models.promoteRegisteredModel(options);
  const { change, ref, ...scope } = options;
  const model = await store.findModel({ ...scope, ref });
  if (model === undefined) throw new Error(`there is no model ${ref}`);
  await store.promoteModel({
    ...scope,
    name: model.name,
    version: model.version,
    reason: change.reason,
    by: change.by,
  });
  const { name, version, modelVersionId } = model;
  return { name, version, model_version_id: modelVersionId } as Awaited<
    ReturnType<typeof models.promoteRegisteredModel>
  >;
};
