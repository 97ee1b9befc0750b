import type {
  DataRecord,
  DatasetReport,
  DatasetVersion,
  Lineage,
  ModelDetail,
  ModelImprovement,
  costSchemas,
  jobSchemas,
  oversightSchemas,
} from '@lachesis/protocol';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { requestJson, requestResponse, writeQuery } from '../api/request.ts';
import { readLines } from '../api/read-lines.ts';

const LATER_MS = 10_000;

export type CostBy = 'model' | 'run' | 'day';
export type Costs = ReturnType<typeof costSchemas.reply.parse>;

export const modelQuery = (ref: string) =>
  queryOptions({
    queryKey: ['model', ref],
    queryFn: ({ signal }) => requestJson<ModelDetail>(`/models/${encodeURIComponent(ref)}`, { signal }),
    refetchInterval: LATER_MS,
  });

export const improvementsQuery = (model: string) =>
  queryOptions({
    queryKey: ['improvements', model],
    queryFn: ({ signal }) =>
      requestJson<{ improvements: ModelImprovement[] }>(`/improvements${writeQuery({ model })}`, { signal }),
    refetchInterval: LATER_MS,
  });

export const datasetsQuery = () =>
  queryOptions({
    queryKey: ['datasets'],
    queryFn: ({ signal }) => requestJson<{ datasets: DatasetVersion[] }>('/v1/datasets', { signal }),
    refetchInterval: LATER_MS,
  });

const ofDataset = (ref: string, rest: string): string => `/v1/datasets/${encodeURIComponent(ref)}${rest}`;

// A version never changes: what was read of it once is good.
export const datasetCheckQuery = (ref: string, context: string | undefined) =>
  queryOptions({
    queryKey: ['datasets', ref, 'check', context],
    queryFn: ({ signal }) => requestJson<DatasetReport>(ofDataset(ref, `/check${writeQuery({ context })}`), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The first rows of a version; the rest is not sent. */
export const datasetRowsQuery = (ref: string, count: number) =>
  queryOptions({
    queryKey: ['datasets', ref, 'rows', count],
    queryFn: async ({ signal }) =>
      (await readLines(
        await requestResponse(ofDataset(ref, '/rows'), { signal, accept: 'application/x-ndjson' }),
        count,
      )) as DataRecord[],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before, query) => (query?.queryKey[1] === ref ? before : undefined),
  });

export const costsQuery = (by: CostBy, since: number | undefined) =>
  queryOptions({
    queryKey: ['costs', by, since],
    queryFn: ({ signal }) => requestJson<Costs>(`/v1/costs${writeQuery({ by, since, limit: 1_000 })}`, { signal }),
    refetchInterval: LATER_MS,
    placeholderData: keepPreviousData,
  });

export type TokenList = ReturnType<typeof oversightSchemas.tokens.parse>;

export const lineageQuery = (what: string) =>
  queryOptions({
    queryKey: ['lineage', what],
    queryFn: ({ signal }) => requestJson<Lineage>(`/lineage/${encodeURIComponent(what)}`, { signal }),
  });

export const jobsQuery = () =>
  queryOptions({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => requestJson<ReturnType<typeof jobSchemas.list.parse>>('/jobs?limit=100', { signal }),
    refetchInterval: LATER_MS,
  });

export const leasesQuery = () =>
  queryOptions({
    queryKey: ['leases'],
    queryFn: ({ signal }) => requestJson<ReturnType<typeof oversightSchemas.leases.parse>>('/v1/leases', { signal }),
    refetchInterval: LATER_MS,
  });

export const tokensQuery = () =>
  queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => requestJson<TokenList>('/v1/tokens', { signal }),
    refetchInterval: LATER_MS,
  });

export const auditQuery = (isRefused: boolean) =>
  queryOptions({
    queryKey: ['audit', isRefused],
    queryFn: ({ signal }) =>
      requestJson<ReturnType<typeof oversightSchemas.audit.parse>>(
        `/v1/audit${writeQuery({ limit: 200, refused: isRefused ? true : undefined })}`,
        { signal },
      ),
    refetchInterval: LATER_MS,
    placeholderData: keepPreviousData,
  });

export const auditCheckQuery = () =>
  queryOptions({
    queryKey: ['audit', 'check'],
    queryFn: ({ signal }) =>
      requestJson<ReturnType<typeof oversightSchemas.auditCheck.parse>>('/v1/audit/check', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
