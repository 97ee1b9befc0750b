import {
  isFinalRunState,
  logEventSchema,
  logQuerySchema,
  metricsEventSchema,
  runEventListSchema,
  runEventQuerySchema,
  runListQuerySchema,
  runListSchema,
  runMetricsQuerySchema,
  runMetricsSchema,
  runRequestSchema,
  runStartSchema,
  runStatusSchema,
  runStopSchema,
  statusEventSchema,
  type RunEventList,
  type RunList,
  type RunMetrics,
  type RunStart,
  type RunStatus,
  type RunStop,
} from '@lachesis/protocol';
import { readEventPage, type TrainingRun } from '@lachesis/store';
import { z } from 'zod';
import type { Route, RouteCall } from '../../platform/http/route.ts';
import { readBody, readParameter, readQuery } from '../library/read-body.ts';
import { describeMetrics } from './describe-metrics.ts';
import { describeRun, logsOf, summarizeRun } from './describe-run.ts';
import { readRunDetails } from './run-details.ts';
import type { RunParts } from './run-parts.ts';
import { streamLogs } from './stream-logs.ts';
import { streamMetrics } from './stream-metrics.ts';
import { createTicks } from './ticks.ts';

/** How soon a follower of a log or of metrics hears of something new. */
const LOOK_AGAIN_MS = 500;

/** Runs: start, list, look, stop. */
export function createRunRoutes(parts: RunParts): Route[] {
  const json = 'application/json';
  // The schema of a stream is that of the data of its events.
  const sse = { contentType: 'text/event-stream' };
  const shared = { perRun: false } as const;
  const ticks = createTicks({ everyMs: LOOK_AGAIN_MS });
  return [
    {
      ...{ ...shared, method: 'POST', path: '/runs', scope: 'run:admin' },
      summary: 'Start a run of the selected environment. Answers at once; what may go wrong is in its status.',
      body: { contentType: json, schema: runRequestSchema },
      response: { contentType: json, schema: runStartSchema },
      handle: (call) => start(parts, call),
    },
    {
      ...{ ...shared, method: 'GET', path: '/runs', scope: 'view' },
      summary: 'Every run, the newest first, those that have ended too.',
      query: runListQuerySchema,
      response: { contentType: json, schema: runListSchema },
      handle: (call) => list(parts, call),
    },
    {
      ...{ ...shared, method: 'GET', path: '/runs/:id', scope: 'view', audit: 'none', runParameter: 'id' },
      summary: 'Where a run stands: its state and why, its processes, its newest metrics, its logs.',
      response: { contentType: json, schema: runStatusSchema },
      handle: (call) => look(parts, call),
    },
    {
      ...{ ...shared, method: 'POST', path: '/runs/:id/stop', scope: 'run:admin', runParameter: 'id' },
      summary: 'End a run: the environment, then the trainer, then the trajectory API. Done within 15 seconds.',
      response: { contentType: json, schema: runStopSchema },
      handle: (call) => stop(parts, call),
    },
    {
      ...{ ...shared, method: 'GET', path: '/runs/:id/metrics', scope: 'view', audit: 'none', runParameter: 'id' },
      summary: 'The last value of every metric, its history thinned out, and where the weights are.',
      query: runMetricsQuerySchema,
      response: { contentType: json, schema: runMetricsSchema },
      handle: (call) => readMetrics(parts, call),
    },
    {
      ...{
        ...shared,
        method: 'GET',
        path: '/runs/:id/metrics/stream',
        scope: 'view',
        audit: 'none',
        runParameter: 'id',
      },
      summary: 'Metrics as they come, as server-sent events; Last-Event-ID goes on behind a step.',
      response: { ...sse, schema: z.union([metricsEventSchema, statusEventSchema]) },
      handle: (call) => streamMetrics({ ...parts, ticks }, call),
    },
    {
      ...{ ...shared, method: 'GET', path: '/runs/:id/logs/:role', scope: 'view', runParameter: 'id' },
      summary: 'The log of api, trainer or env as server-sent events; Last-Event-ID goes on at a byte.',
      query: logQuerySchema,
      response: { ...sse, schema: logEventSchema },
      handle: (call) => streamLogs({ ...parts, ticks }, call),
    },
    {
      ...{ ...shared, method: 'GET', path: '/runs/:id/events', scope: 'view', runParameter: 'id' },
      summary: 'The history of a run, each line linked to the one before; `?after=` goes on behind a cursor.',
      query: runEventQuerySchema,
      response: { contentType: json, schema: runEventListSchema },
      handle: (call) => readEvents(parts, call),
    },
  ];
}

const findRun = ({ runs }: RunParts, { request, principal }: RouteCall): Promise<TrainingRun> =>
  runs.find(principal.tenantId, readParameter(request, 'id'));

async function start({ runs }: RunParts, call: RouteCall): Promise<RunStart> {
  const run = await runs.create(call.principal.tenantId, await readBody(call, runRequestSchema));
  call.about({ run: run.shortId, environment: run.environment });
  const details = readRunDetails(run.details);
  const { values } = run.config as { values: RunStart['config'] };
  return {
    run_id: run.shortId,
    // What is written and waits for its supervisor is on its way, and old clients know no other word for it.
    status: run.state === 'pending' ? 'starting' : run.state,
    environment: run.environment,
    config: values,
    config_path: details.configPath,
    logs: logsOf(await runs.processes(run)),
    wandb_project: details.wandbProject,
    wandb_run_name: details.wandbRunName,
    ...(details.estimate === null ? {} : { estimate: details.estimate }),
    message: `Run ${run.shortId} is starting. Its state is at GET /runs/${run.shortId}.`,
  };
}

async function list({ runs }: RunParts, { request, principal }: RouteCall): Promise<RunList> {
  const { status, environment, before, limit } = readQuery(request, runListQuerySchema);
  const page = await runs.list({ tenantId: principal.tenantId, state: status, environment, before, limit });
  return { runs: page.runs.map(summarizeRun), count: page.runs.length, next: page.next };
}

async function look(parts: RunParts, call: RouteCall): Promise<RunStatus> {
  const run = await findRun(parts, call);
  const [processes, now] = await Promise.all([parts.runs.processes(run), parts.store.now()]);
  return await describeRun({ store: parts.store, run, processes, now });
}

async function stop({ runs }: RunParts, { request, principal }: RouteCall): Promise<RunStop> {
  const run = await runs.stop(principal.tenantId, readParameter(request, 'id'), 'asked for over HTTP');
  const hasEnded = isFinalRunState(run.state);
  return {
    run_id: run.shortId,
    // The request is on disk: whoever holds the run ends it, also when this server dies now.
    status: hasEnded ? run.state : 'stopping',
    message: hasEnded
      ? `Run ${run.shortId} had ended already: ${run.reason ?? run.state}.`
      : `Run ${run.shortId} is being stopped: environment, trainer, trajectory API, within 15 seconds.`,
  };
}

async function readMetrics(parts: RunParts, call: RouteCall): Promise<RunMetrics> {
  const run = await findRun(parts, call);
  return await describeMetrics({ store: parts.store, run, query: readQuery(call.request, runMetricsQuerySchema) });
}

async function readEvents(parts: RunParts, call: RouteCall): Promise<RunEventList> {
  const { tenantId, runId, shortId } = await findRun(parts, call);
  const { after: afterCursor = 0 } = readQuery(call.request, runEventQuerySchema);
  const rows = await readEventPage({ store: parts.store, tenantId, runId, afterCursor });
  const events = rows.map(({ cursor, kind, at, data, hash }) => ({ cursor, kind, at, data: JSON.parse(data), hash }));
  return { run_id: shortId, events };
}
