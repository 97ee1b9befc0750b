import {
  agreementQuerySchema,
  datasetCheckQuerySchema,
  datasetImportSchema,
  datasetListSchema,
  datasetMakeSchema,
  datasetRequestSchema,
  datasetVersionSchema,
  exportQuerySchema,
  feedbackListSchema,
  feedbackRequestSchema,
  feedbackSchema,
  madeDatasetSchema,
  ratingQueueSchemas,
} from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import {
  findDataset,
  forgetTrajectories,
  listDatasets,
  listTrajectories,
  readDatasetRows,
  readTrajectory,
  setConsent,
  tagTrajectory,
} from '@lachesis/store';
import { addFeedback } from './add-feedback.ts';
import {
  checkDataset,
  createLibraryDataset,
  importDataset,
  listHeldOut,
  makeLibraryDataset,
  openExport,
} from './datasets.ts';
import { deleteLibraryDataset } from './delete-dataset.ts';
import { findTrajectoryId } from './find-by-beginning.ts';
import { ingestRecords, type IngestParts } from './ingest-records.ts';
import { listNamedFeedback, withdrawNamedFeedback } from './named-feedback.ts';
import { handOutRatings, releaseRatings } from './rating-queue.ts';
import { readAgreement } from './read-agreement.ts';
import { readNamedTrajectory } from './read-named-trajectory.ts';
import { missingTrajectory } from './missing-trajectory.ts';

const DEFAULT_PAGE = 50;

/** The calls of `createLibraryClient` on a store that is open here: a library without a server, by the same rules. */
export function createLocalLibrary({
  parts,
  tenantId,
  audit,
}: {
  parts: IngestParts;
  tenantId: string;
  /** Told of what is changed here for good, and of what is handed out whole. */
  audit: (action: { action: string; tenantId: string; things: Readonly<Record<string, string>> }) => Promise<void>;
}): LibraryClient {
  const { store, blobs, ids, redactor } = parts;
  const here = { store, tenantId };
  const withBlobs = { ...here, blobs };

  const note = (action: string, things: Readonly<Record<string, string>>): Promise<void> =>
    audit({ action, tenantId, things });

  async function readSummary(trajectoryId: string): Promise<NonNullable<Awaited<ReturnType<typeof readTrajectory>>>> {
    const found = await readTrajectory({ ...withBlobs, trajectoryId });
    if (found === undefined) throw missingTrajectory(trajectoryId);
    return found;
  }

  return {
    health: async () => ({ status: 'ok', library: 'local' }),
    sendRecords: (records) => ingestRecords({ parts, tenantId, records }),
    listTrajectories: ({ filter = {}, limit = DEFAULT_PAGE, cursor, order } = {}) =>
      listTrajectories({
        ...here,
        filter,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(order === undefined ? {} : { order }),
      }),
    readTrajectory: (ref) => readNamedTrajectory({ ...withBlobs, ref }),
    async changeTags(ref, { add, remove, consent }) {
      const trajectoryId = await findTrajectoryId({ ...here, ref });
      if (trajectoryId === undefined) throw missingTrajectory(ref);
      if (add !== undefined || remove !== undefined) {
        await tagTrajectory({ ...here, trajectoryId, add: add ?? [], remove: remove ?? [] });
      }
      if (consent !== undefined) await setConsent({ ...here, trajectoryId, consent });
      await note('trajectories tag', { trajectory: trajectoryId, ...(consent === undefined ? {} : { consent }) });
      return (await readSummary(trajectoryId)).summary;
    },
    async forget(what) {
      const receipt = await forgetTrajectories({
        ...withBlobs,
        ...('user' in what ? { user: what.user } : { trajectoryId: what.trajectory_id }),
      });
      // The name of a person who was forgotten is not written down for that.
      await note('trajectories forget', {
        ...('user' in what ? { trajectories: String(receipt.trajectories) } : { trajectory: what.trajectory_id }),
      });
      return receipt;
    },
    // Through the schema of the wire, as a client reads it from a server: the same fields in the same order.
    writeFeedback: async (request) => {
      const feedback = feedbackRequestSchema.parse(request);
      return feedbackSchema.parse(await addFeedback({ ...here, feedback, ids }));
    },
    nextToRate: (request) => handOutRatings(here, ratingQueueSchemas.request.parse(request)),
    releaseRatings: (request) => releaseRatings(here, request),
    listFeedback: async (query = {}) => {
      const feedback = await listNamedFeedback({ ...here, query });
      return feedbackListSchema.parse({ feedback }).feedback;
    },
    async withdrawFeedback(feedbackId) {
      const withdrawn = await withdrawNamedFeedback({ ...here, ref: feedbackId });
      if (withdrawn !== undefined) await note('feedback withdraw', { feedback: withdrawn });
      return withdrawn !== undefined;
    },
    readAgreement: (query = {}) => readAgreement({ ...here, query: agreementQuerySchema.parse(query) }),
    listDatasets: async () => datasetListSchema.parse({ datasets: await listDatasets(here) }).datasets,
    async readDataset(ref) {
      const found = await findDataset({ ...here, ref });
      return found === undefined ? undefined : datasetVersionSchema.parse(found);
    },
    async createDataset(dataset) {
      // The order of fields is part of what a version is known by.
      const rows = datasetRequestSchema.shape.rows.parse(dataset.rows);
      const made = await createLibraryDataset({ ...withBlobs, redactor, dataset: { ...dataset, rows } });
      return datasetVersionSchema.parse(made);
    },
    async *readDatasetRows(ref) {
      const dataset = await findDataset({ ...here, ref });
      if (dataset === undefined) throw new Error(`there is no data set ${ref}`);
      yield* readDatasetRows({ ...withBlobs, datasetId: dataset.dataset_id });
    },
    async deleteDataset(ref, { force = false } = {}) {
      const gone = await deleteLibraryDataset({ ...withBlobs, ref, isForced: force });
      await note('data sets delete', { dataset: `${gone.name}@${gone.version}` });
      return datasetVersionSchema.parse(gone);
    },
    makeDataset: async (name, make) =>
      madeDatasetSchema.parse(await makeLibraryDataset({ ...withBlobs, name, make: datasetMakeSchema.parse(make) })),
    importDataset: async (name, { rows, ...given }) => {
      const make = datasetImportSchema.omit({ rows: true }).parse(given);
      return madeDatasetSchema.parse(await importDataset({ ...withBlobs, name, redactor, rows, make }));
    },
    checkDataset: (ref, query = {}) =>
      checkDataset({ ...withBlobs, ref, contextTokens: datasetCheckQuerySchema.parse(query).context }),
    findHeldOut: (digests) => listHeldOut({ ...here, digests }),
    async exportRows(query = {}) {
      const open = await openExport({ ...withBlobs, query: exportQuerySchema.parse(query) });
      const of = open.dataset === null ? {} : { dataset: `${open.dataset.name}@${open.dataset.version}` };
      await note('data export', of);
      return open;
    },
  };
}
