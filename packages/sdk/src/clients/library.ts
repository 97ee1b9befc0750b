import type { z } from 'zod';
import {
  type tagRequestSchema,
  type exportQuerySchema,
  type agreementQuerySchema,
  type datasetRequestSchema,
  type datasetMakeSchema,
  captureReceiptSchema,
  datasetListSchema,
  datasetReportSchema,
  datasetVersionSchema,
  feedbackAgreementSchema,
  feedbackListSchema,
  feedbackSchema,
  forgetReceiptSchema,
  heldOutReplySchema,
  madeDatasetSchema,
  ratingQueueSchemas,
  trajectoryDetailSchema,
  trajectoryPageSchema,
  trajectorySummarySchema,
  type CaptureReceipt,
  type CaptureRecord,
  type DataRecord,
  type DatasetMade,
  type DatasetReport,
  type DatasetVersion,
  type Feedback,
  type FeedbackAgreement,
  type FeedbackQuery,
  type FeedbackRequest,
  type ForgetReceipt,
  type ForgetRequest,
  type HeldOutRow,
  type TrajectoryDetail,
  type TrajectoryFilter,
  type TrajectoryPage,
  type TrajectorySummary,
} from '@lachesis/protocol';
import { ClientError } from './client-error.ts';
import { readExport, type LibraryExport } from './library-export.ts';
import { readJsonLines } from './library-lines.ts';
import { sendDataset, type ImportedRows } from './send-dataset.ts';
import { request, requestBytes, type RequestBase, type SendOptions } from './request.ts';

type DatasetMake = z.input<typeof datasetMakeSchema>;
type DatasetRequest = z.input<typeof datasetRequestSchema>;
type AgreementQuery = z.input<typeof agreementQuerySchema>;
type ExportQuery = z.input<typeof exportQuerySchema>;
type TagRequest = z.infer<typeof tagRequestSchema>;

export type LibraryClientOptions = RequestBase & {
  /** For how long calls are tried again while the server is away or busy; default ten seconds. Every call may be made twice. */
  retryForMs?: number | undefined;
};

export interface LibraryCallOptions {
  signal?: AbortSignal | undefined;
}

export interface TrajectoryListOptions extends LibraryCallOptions {
  filter?: TrajectoryFilter | undefined;
  /** At most so many on a page; default 50. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** By arrival, either way round, or by the last thing that happened; default newest first. */
  order?: 'newest' | 'oldest' | 'updated' | undefined;
}

export interface LibraryHealth {
  status: string;
  /** Which library it is; the same for the same home or database. */
  library: string;
}

/** The library: trajectories, feedback and data sets. */
export interface LibraryClient {
  /** Throws when the server is away, or is no library. */
  health(options?: LibraryCallOptions): Promise<LibraryHealth>;
  /** Resolves when they are committed. At most 1,000 at once. */
  sendRecords(records: readonly CaptureRecord[], options?: LibraryCallOptions): Promise<CaptureReceipt['receipts']>;
  listTrajectories(options?: TrajectoryListOptions): Promise<TrajectoryPage>;
  /** Undefined when there is none, or it was forgotten. */
  readTrajectory(trajectoryId: string, options?: LibraryCallOptions): Promise<TrajectoryDetail | undefined>;
  changeTags(trajectoryId: string, change: TagRequest, options?: LibraryCallOptions): Promise<TrajectorySummary>;
  forget(what: ForgetRequest, options?: LibraryCallOptions): Promise<ForgetReceipt>;
  writeFeedback(feedback: FeedbackRequest, options?: LibraryCallOptions): Promise<Feedback>;
  listFeedback(query?: FeedbackQuery, options?: LibraryCallOptions): Promise<Feedback[]>;
  /** False when there is none. */
  withdrawFeedback(feedbackId: string, options?: LibraryCallOptions): Promise<boolean>;
  /** The next trajectories to rate, for one seat alone until their lease ends. */
  nextToRate(
    request: z.input<(typeof ratingQueueSchemas)['request']>,
    options?: LibraryCallOptions,
  ): Promise<z.infer<(typeof ratingQueueSchemas)['reply']>>;
  /** Gives back what a seat will not rate. */
  releaseRatings(
    request: z.infer<(typeof ratingQueueSchemas)['release']>,
    options?: LibraryCallOptions,
  ): Promise<z.infer<(typeof ratingQueueSchemas)['released']>>;
  /** How far judges, or rules, say what people say. */
  readAgreement(query?: AgreementQuery, options?: LibraryCallOptions): Promise<FeedbackAgreement>;
  listDatasets(options?: LibraryCallOptions): Promise<DatasetVersion[]>;
  /** `name` for the newest version, `name@3` for the third. */
  readDataset(ref: string, options?: LibraryCallOptions): Promise<DatasetVersion | undefined>;
  createDataset(dataset: DatasetRequest, options?: LibraryCallOptions): Promise<DatasetVersion>;
  /** One version, `name@3`, with its rows. `force`: also one that a model learnt from or was measured with. */
  deleteDataset(ref: string, query?: { force?: boolean }, options?: LibraryCallOptions): Promise<DatasetVersion>;
  readDatasetRows(ref: string, options?: LibraryCallOptions): AsyncGenerator<DataRecord>;
  /** A version from what was recorded: a filter, then transforms. */
  makeDataset(name: string, make: DatasetMake, options?: LibraryCallOptions): Promise<DatasetMade>;
  /**
   * A version from rows of a file, by what people allowed. Rows are sent as they are read, up to a million and for a
   * day: some megabytes are held at once. The version is there whole or not at all; a row that is refused is named by its place.
   */
  importDataset(name: string, rows: ImportedRows, options?: LibraryCallOptions): Promise<DatasetMade>;
  /** What would go wrong in training with the rows of a version. */
  checkDataset(ref: string, query?: { context?: number }, options?: LibraryCallOptions): Promise<DatasetReport>;
  /** Which of these digests of rows are in a held-out set. */
  findHeldOut(digests: readonly string[], options?: LibraryCallOptions): Promise<HeldOutRow[]>;
  /** Rows that may leave; throws before the first one when the set may not. */
  exportRows(query?: ExportQuery, options?: LibraryCallOptions): Promise<LibraryExport>;
}

const DEFAULT_RETRY_MS = 10_000;
/** A batch of long conversations takes a while to arrive and to be written. */
const SEND_TIMEOUT_MS = 120_000;

/**
 * A client of the library routes of a control server, which send records and read trajectories, feedback and data
 * sets.
 */
export function createLibraryClient(options: LibraryClientOptions): LibraryClient {
  const { retryForMs = DEFAULT_RETRY_MS, ...base } = options;
  const plan = (
    method: SendOptions['method'],
    path: string,
    { signal }: LibraryCallOptions = {},
    rest: Partial<SendOptions> = {},
  ): SendOptions => ({ ...base, method, path, signal, retryForMs, ...rest });

  const ofTrajectory = (id: string, rest = ''): string => `/v1/trajectories/${encodeURIComponent(id)}${rest}`;
  const ofDataset = (ref: string, rest = ''): string => `/v1/datasets/${encodeURIComponent(ref)}${rest}`;

  return {
    // Asked to find out whether it answers: a failure is the answer, and is not tried away.
    health: (callOptions) =>
      request({ ...plan('GET', '/health', callOptions, { retryForMs: 0, timeoutMs: 3_000 }), parse: readHealth }),
    sendRecords: async (records, callOptions) => {
      const body = { records };
      const call = plan('POST', '/v1/records', callOptions, { body, timeoutMs: SEND_TIMEOUT_MS });
      return (await request({ ...call, parse: captureReceiptSchema.parse })).receipts;
    },
    listTrajectories: ({ filter = {}, limit, cursor, order, signal } = {}) =>
      request({
        ...plan('GET', `/v1/trajectories${writeQuery({ ...filter, limit, cursor, order })}`, { signal }),
        parse: trajectoryPageSchema.parse,
      }),
    readTrajectory: (trajectoryId, callOptions) =>
      orUndefined(
        request({ ...plan('GET', ofTrajectory(trajectoryId), callOptions), parse: trajectoryDetailSchema.parse }),
      ),
    changeTags: (trajectoryId, change, callOptions) =>
      request({
        ...plan('POST', ofTrajectory(trajectoryId, '/tags'), callOptions, { body: change }),
        parse: trajectorySummarySchema.parse,
      }),
    forget: (what, callOptions) =>
      request({
        ...plan('POST', '/v1/forget', callOptions, { body: what, timeoutMs: SEND_TIMEOUT_MS }),
        parse: forgetReceiptSchema.parse,
      }),
    writeFeedback: (feedback, callOptions) =>
      request({ ...plan('POST', '/v1/feedback', callOptions, { body: feedback }), parse: feedbackSchema.parse }),
    listFeedback: async (query = {}, callOptions) => {
      const call = plan('GET', `/v1/feedback${writeQuery(query)}`, callOptions);
      return (await request({ ...call, parse: feedbackListSchema.parse })).feedback;
    },
    withdrawFeedback: async (feedbackId, callOptions) => {
      const call = plan('DELETE', `/v1/feedback/${encodeURIComponent(feedbackId)}`, callOptions);
      return (await orUndefined(requestBytes(call))) !== undefined;
    },
    readAgreement: (query = {}, callOptions) =>
      request({
        ...plan('GET', `/v1/feedback/agreement${writeQuery(query)}`, callOptions),
        parse: feedbackAgreementSchema.parse,
      }),
    nextToRate: (body, callOptions) =>
      request({ ...plan('POST', '/v1/queue/next', callOptions, { body }), parse: ratingQueueSchemas.reply.parse }),
    releaseRatings: (body, callOptions) =>
      request({
        ...plan('POST', '/v1/queue/release', callOptions, { body }),
        parse: ratingQueueSchemas.released.parse,
      }),
    listDatasets: async (callOptions) =>
      (await request({ ...plan('GET', '/v1/datasets', callOptions), parse: datasetListSchema.parse })).datasets,
    readDataset: (ref, callOptions) =>
      orUndefined(request({ ...plan('GET', ofDataset(ref), callOptions), parse: datasetVersionSchema.parse })),
    createDataset: (dataset, callOptions) =>
      request({
        ...plan('POST', '/v1/datasets', callOptions, { body: dataset, timeoutMs: SEND_TIMEOUT_MS }),
        parse: datasetVersionSchema.parse,
      }),
    deleteDataset: (ref, query = {}, callOptions) =>
      request({
        ...plan('DELETE', `${ofDataset(ref)}${writeQuery(query)}`, callOptions, { timeoutMs: SEND_TIMEOUT_MS }),
        parse: datasetVersionSchema.parse,
      }),
    readDatasetRows: (ref, callOptions) => readJsonLines(plan('GET', ofDataset(ref, '/rows'), callOptions)),
    makeDataset: (name, make, callOptions) =>
      request({
        ...plan('POST', ofDataset(name, '/make'), callOptions, { body: make, timeoutMs: SEND_TIMEOUT_MS }),
        parse: madeDatasetSchema.parse,
      }),
    importDataset: (name, imported, callOptions) =>
      sendDataset(plan('POST', ofDataset(name, '/import'), callOptions), imported),
    checkDataset: (ref, query = {}, callOptions) =>
      request({
        ...plan('GET', ofDataset(ref, `/check${writeQuery(query)}`), callOptions, { timeoutMs: SEND_TIMEOUT_MS }),
        parse: datasetReportSchema.parse,
      }),
    findHeldOut: async (digests, callOptions) => {
      const call = plan('POST', '/v1/held-out', callOptions, { body: { digests } });
      return (await request({ ...call, parse: heldOutReplySchema.parse })).held_out;
    },
    exportRows: (query = {}, callOptions) => readExport(plan('GET', `/v1/export${writeQuery(query)}`, callOptions)),
  };
}

function writeQuery(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (ClientError.isInstance(error) && error.status === 404 && error.code === 'not-found') return undefined;
    throw error;
  }
}

function readHealth(reply: unknown): LibraryHealth {
  const { status, service, library } = reply as Record<string, unknown>;
  if (service !== 'control' || typeof library !== 'string') throw new Error('the server is no library');
  return { status: String(status), library };
}
