import {
  datasetListSchema,
  datasetVersionSchema,
  feedbackListSchema,
  feedbackSchema,
  type DataRecord,
} from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { addFeedback, ingestRecords, redactRow, type IngestParts } from '@lachesis/server/services';
import type { LocalStore } from './open-local-store.ts';
import {
  createDatasetVersion,
  findDataset,
  forgetTrajectories,
  listDatasets,
  listFeedback,
  listTrajectories,
  readDatasetRows,
  readTrajectory,
  setConsent,
  tagTrajectory,
  withdrawFeedback,
} from '@lachesis/store';

const DEFAULT_PAGE = 50;

/** The library of this machine without a server: the same calls on the store itself. */
export function createLocalLibrary({
  parts,
  tenantId,
  audit,
}: {
  parts: IngestParts;
  tenantId: string;
  /** Told of what is changed here for good, and of what is handed out whole. */
  audit: LocalStore['audit'];
}): LibraryClient {
  const { store, blobs, ids, redactor } = parts;
  const here = { store, tenantId };
  const withBlobs = { ...here, blobs };

  const note = (action: string, things: Readonly<Record<string, string>>): Promise<void> =>
    audit({ action, tenantId, things });

  async function readSummary(trajectoryId: string): Promise<NonNullable<Awaited<ReturnType<typeof readTrajectory>>>> {
    const found = await readTrajectory({ ...withBlobs, trajectoryId });
    if (found === undefined) throw new Error(`there is no trajectory ${trajectoryId}`);
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
    readTrajectory: (trajectoryId) => readTrajectory({ ...withBlobs, trajectoryId }),
    async changeTags(trajectoryId, { add, remove, consent }) {
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
    writeFeedback: async (feedback) => feedbackSchema.parse(await addFeedback({ ...withBlobs, feedback, ids })),
    listFeedback: async (query = {}) => {
      const feedback = await listFeedback({
        ...here,
        ...(query.trajectory_id === undefined ? {} : { trajectoryId: query.trajectory_id }),
        ...(query.author === undefined ? {} : { author: query.author }),
        ...(query.author_kind === undefined ? {} : { authorKind: query.author_kind }),
        ...(query.kind === undefined ? {} : { kind: query.kind }),
        ...(query.since === undefined ? {} : { since: query.since }),
      });
      return feedbackListSchema.parse({ feedback }).feedback;
    },
    async withdrawFeedback(feedbackId) {
      const withdrawn = await withdrawFeedback({ ...here, feedbackId });
      if (withdrawn !== undefined) await note('feedback withdraw', { feedback: feedbackId });
      return withdrawn !== undefined;
    },
    listDatasets: async () => datasetListSchema.parse({ datasets: await listDatasets(here) }).datasets,
    async readDataset(ref) {
      const found = await findDataset({ ...here, ref });
      return found === undefined ? undefined : datasetVersionSchema.parse(found);
    },
    createDataset: ({ name, is_held_out: isHeldOut = false, recipe = null, rows }) =>
      createDatasetVersion({
        ...withBlobs,
        name,
        isHeldOut,
        recipe,
        rows: (rows as DataRecord[]).map((row) => redactRow(row, redactor).row),
      }),
    async *readDatasetRows(ref) {
      const dataset = await findDataset({ ...here, ref });
      if (dataset === undefined) throw new Error(`there is no data set ${ref}`);
      yield* readDatasetRows({ ...withBlobs, datasetId: dataset.dataset_id });
    },
  };
}
