import type {
  ControlConfig,
  ControlHealth,
  EnvironmentEntry,
  RegisteredModel,
  RolloutStep,
  RunComparison,
  RunEstimate,
  RunLedger,
  RunList,
  RunMetrics,
  RunSettings,
  RunState,
  RunStatus,
  WhyReply,
  runEventListSchema,
  runExtremesSchemas,
} from '@lachesis/protocol';
import { isFinalRunState } from '@lachesis/protocol';
import { keepPreviousData, queryOptions, type QueryFunctionContext } from '@tanstack/react-query';
import { requestJson, writeQuery } from './request.ts';
import { createTurns } from './take-turns.ts';

/** How often what has no stream is asked again while it may change. */
const SOON_MS = 2_000;
const LATER_MS = 10_000;

/** Lines of a run's history. */
type RunEventList = ReturnType<typeof runEventListSchema.parse>;
type RunExtremes = ReturnType<typeof runExtremesSchemas.reply.parse>;

const ofRun = (run: string, rest = ''): string => `/runs/${encodeURIComponent(run)}${rest}`;

export const healthQuery = () =>
  queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => requestJson<ControlHealth>('/health', { signal }),
    refetchInterval: LATER_MS,
  });

export interface RunsFilter {
  status?: RunState | undefined;
  environment?: string | undefined;
  limit?: number | undefined;
  before?: string | undefined;
}

/** The stream brings what changes into a whole list; to ask for two megabytes again only mends what it could not tell. */
const MANY_RUNS = 1_000;
const MUCH_LATER_MS = 60_000;

/** Whether a list is of all runs: which of them belong in one with a filter is for the server to say. */
export const isWholeList = (filter: RunsFilter): boolean =>
  Object.entries(filter).every(([name, value]) => name === 'limit' || value === undefined);

export const runsQuery = (filter: RunsFilter = {}) =>
  queryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ signal }) => requestJson<RunList>(`/runs${writeQuery({ ...filter })}`, { signal }),
    refetchInterval: ({ state: { data } }) =>
      isWholeList(filter) && (data?.runs.length ?? 0) > MANY_RUNS ? MUCH_LATER_MS : LATER_MS,
    placeholderData: keepPreviousData,
  });

type Ask = <T>(context: QueryFunctionContext, path: string) => Promise<T>;

const askNow: Ask = ({ signal }, path) => requestJson(path, { signal });

/** A browser has six connections to a server; one is the stream's, and the page itself has to get through beside its rows. */
const takeRowTurn = createTurns(4);

/**
 * What a row of a list asks for: forty rows that come into view at once do not call eighty times at once. Of those that have
 * gone again none is called off: an error for each would cost more than the row.
 */
export const askInTurn: Ask = ({ client, queryKey }, path) =>
  takeRowTurn(
    () => client.getQueryCache().find({ queryKey })?.isActive() === true,
    () => requestJson(path),
  );

export const runQuery = (run: string, ask = askNow) =>
  queryOptions({
    queryKey: ['run', run],
    queryFn: (context) => ask<RunStatus>(context, ofRun(run)),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isFinalRunState(data.status) ? false : SOON_MS),
  });

export const whyQuery = (run: string, isEnded: boolean) =>
  queryOptions({
    queryKey: ['run', run, 'why'],
    queryFn: ({ signal }) => requestJson<WhyReply>(ofRun(run, '/why'), { signal }),
    refetchInterval: isEnded ? false : SOON_MS,
  });

/** Rows of history that a chart can show; the server thins out what is more, and says the lowest and highest of each stretch. */
const HISTORY_ROWS = 1_000;

export const metricsQuery = (run: string, series: readonly string[], limit = HISTORY_ROWS, ask = askNow) =>
  queryOptions({
    queryKey: ['run', run, 'metrics', series, limit],
    queryFn: (context) =>
      ask<RunMetrics>(context, ofRun(run, `/metrics${writeQuery({ limit, series: series.join(',') })}`)),
    // What comes after it is told by the stream.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before, query) => (query?.queryKey[1] === run ? before : undefined),
  });

/** Which steps made the lowest and the highest of a stretch. */
export const extremesQuery = (run: string, series: string, [from, to]: readonly [number, number]) =>
  queryOptions({
    queryKey: ['run', run, 'extremes', series, from, to],
    queryFn: ({ signal }) =>
      requestJson<RunExtremes>(ofRun(run, `/metrics/extremes${writeQuery({ series, from, to })}`), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const runEventsQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run, 'events'],
    queryFn: ({ signal }) => requestJson<RunEventList>(ofRun(run, '/events'), { signal }),
    refetchInterval: LATER_MS,
  });

export const ledgerQuery = (run: string, isEnded: boolean) =>
  queryOptions({
    queryKey: ['run', run, 'ledger'],
    queryFn: ({ signal }) => requestJson<RunLedger>(ofRun(run, '/ledger'), { signal }),
    refetchInterval: isEnded ? false : SOON_MS,
  });

export const stepsQuery = (run: string, isEnded: boolean) =>
  queryOptions({
    queryKey: ['run', run, 'steps'],
    queryFn: ({ signal }) => requestJson<RunSteps>(ofRun(run, '/steps?limit=1000'), { signal }),
    refetchInterval: isEnded ? false : LATER_MS,
  });

interface RunSteps {
  steps: RolloutStep[];
  next: number | null;
}

export const settingsQuery = (run: string) =>
  queryOptions({
    queryKey: ['run', run, 'settings'],
    queryFn: ({ signal }) => requestJson<RunSettings>(ofRun(run, '/settings'), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const modelsQuery = (name?: string) =>
  queryOptions({
    queryKey: ['models', name],
    queryFn: ({ signal }) => requestJson<{ models: RegisteredModel[] }>(`/models${writeQuery({ name })}`, { signal }),
    refetchInterval: LATER_MS,
  });

/** Whether anything waits for a rating; how much is counted by the queue. */
export const unratedQuery = () =>
  queryOptions({
    queryKey: ['trajectories', 'unrated'],
    queryFn: ({ signal }) =>
      requestJson<{ trajectories: unknown[] }>('/v1/trajectories?has_feedback=false&limit=1', { signal }),
    refetchInterval: LATER_MS,
  });

export const comparisonQuery = (runs: readonly string[], series: string | undefined) =>
  queryOptions({
    queryKey: ['runs', 'compare', runs, series],
    queryFn: ({ signal }) =>
      requestJson<RunComparison>(`/runs/compare${writeQuery({ runs: runs.join(','), series, limit: HISTORY_ROWS })}`, {
        signal,
      }),
    enabled: runs.length > 1,
  });

export const configQuery = () =>
  queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => requestJson<ControlConfig>('/config', { signal }),
  });

export const estimateQuery = () =>
  queryOptions({
    queryKey: ['config', 'estimate'],
    queryFn: ({ signal }) => requestJson<RunEstimate>('/config/estimate', { signal }),
  });

export const environmentsQuery = () =>
  queryOptions({
    queryKey: ['environments'],
    queryFn: ({ signal }) => requestJson<EnvironmentEntry[]>('/environments', { signal }),
  });
