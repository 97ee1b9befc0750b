import {
  isFinalRunState,
  LachesisError,
  logEventSchema,
  logQuerySchema,
  metricsEventSchema,
  runComparisonQuerySchema,
  runComparisonSchema,
  runEventListSchema,
  runEventQuerySchema,
  runExtremesSchemas,
  runLedgerSchema,
  runListQuerySchema,
  runListSchema,
  runMetricsQuerySchema,
  runMetricsSchema,
  runRequestSchema,
  runResumeSchema,
  runSettingsSchema,
  runStartSchema,
  runStatusSchema,
  runStopSchema,
  statusEventSchema,
  type RunComparison,
  type RunList,
  type RunStart,
  type RunStatus,
  type RunStop,
} from '@lachesis/protocol';
import { readEventPage, type TrainingRun } from '@lachesis/store';
import { z } from 'zod';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import { compareRuns } from '../../services/runs/compare/compare-runs.ts';
import { describeSettings } from '../../services/runs/compare/describe-settings.ts';
import { describeExtremes, describeMetrics } from '../../services/runs/describe-metrics.ts';
import { describeRun, logsOf, summarizeRun } from '../../services/runs/describe-run.ts';
import { readRunDetails } from '../../services/runs/details.ts';
import { readRunLedger } from '../../services/runs/rollouts/read-run-ledger.ts';
import type { RunDeps } from './run-deps.ts';
import { createStreamRoute } from './stream.ts';
import { streamLogs } from '../streams/logs.ts';
import { streamMetrics } from '../streams/metrics.ts';
import { createTicks } from '../streams/ticks.ts';

type RunEventList = z.infer<typeof runEventListSchema>;

/** How soon a follower of a log or of metrics hears of something new. */
const LOOK_AGAIN_MS = 500;

/** Runs: start, list, look, stop. */
export function createRunRoutes(deps: RunDeps): Route[] {
  const ticks = createTicks({ everyMs: LOOK_AGAIN_MS });
  return [
    defineRoute({
      method: 'POST',
      path: '/runs',
      scope: 'run:admin',
      summary: 'Start a run of the selected environment. Answers at once; what may go wrong is in its status.',
      body: jsonBody(runRequestSchema),
      reply: runStartSchema,
      handle: async ({ principal, body, about }) => {
        const run = await deps.runs.create(principal.tenantId, body);
        about({ run: run.shortId, environment: run.environment });
        return await describeStart(deps, run);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs',
      scope: 'view',
      summary: 'Every run, the newest first, those that have ended too.',
      query: runListQuerySchema,
      reply: runListSchema,
      handle: ({ principal, query }) => list(deps, principal.tenantId, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/compare',
      scope: 'view',
      summary: 'Several runs beside each other: settings that differ, curves, and paired differences of evaluations.',
      query: runComparisonQuerySchema,
      reply: runComparisonSchema,
      handle: ({ principal, query }) => compare(deps, principal.tenantId, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id',
      scope: 'view',
      audit: 'none',
      runParameter: 'id',
      summary: 'Where a run stands: its state and why, its processes, its newest metrics, its logs.',
      reply: runStatusSchema,
      handle: ({ principal, params }) => look(deps, principal.tenantId, params.id),
    }),
    defineRoute({
      method: 'POST',
      path: '/runs/:id/stop',
      scope: 'run:admin',
      runParameter: 'id',
      summary: 'End a run: the environment, then the trainer, then the trajectory API. Done within 15 seconds.',
      reply: runStopSchema,
      handle: ({ principal, params }) => stop(deps, principal.tenantId, params.id),
    }),
    defineRoute({
      method: 'POST',
      path: '/runs/:id/resume',
      scope: 'run:admin',
      runParameter: 'id',
      summary: 'Go on with a run that has ended, from what it saved, with the recipe it had.',
      reply: runResumeSchema,
      handle: async ({ principal, params }) => {
        const run = await deps.runs.resume(principal.tenantId, params.id);
        const { shortId, state } = run;
        const message =
          state === 'pending'
            ? `Run ${shortId} goes on. Its state is at GET /runs/${shortId}.`
            : `Run ${shortId} is ${state} and was left alone.`;
        return { run_id: shortId, status: state, message };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/settings',
      scope: 'view',
      runParameter: 'id',
      summary: 'What a run was started with, beside what the recipe of the server says.',
      reply: runSettingsSchema,
      handle: async ({ principal, params }) =>
        describeSettings(await deps.runs.find(principal.tenantId, params.id), deps.recipe),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/ledger',
      scope: 'view',
      audit: 'none',
      runParameter: 'id',
      summary: 'Where every group of a run is: produced is the sum of the rest.',
      reply: runLedgerSchema,
      handle: async ({ principal, params }) => {
        const run = await deps.runs.find(principal.tenantId, params.id);
        return await readRunLedger({ store: deps.store, run });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/metrics',
      scope: 'view',
      audit: 'none',
      runParameter: 'id',
      summary: 'The last value of every metric, its history thinned out, and where the weights are.',
      query: runMetricsQuerySchema,
      reply: runMetricsSchema,
      handle: async ({ principal, params, query }) => {
        const run = await deps.runs.find(principal.tenantId, params.id);
        return await describeMetrics({ store: deps.store, run, query });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/metrics/extremes',
      scope: 'view',
      audit: 'none',
      runParameter: 'id',
      summary: 'Which steps of a stretch made the lowest and the highest value of a series.',
      query: runExtremesSchemas.query,
      reply: runExtremesSchemas.reply,
      handle: async ({ principal, params, query }) => {
        const run = await deps.runs.find(principal.tenantId, params.id);
        return await describeExtremes({ store: deps.store, run, query });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/metrics/stream',
      scope: 'view',
      audit: 'none',
      runParameter: 'id',
      summary: 'Metrics as they come, as server-sent events; Last-Event-ID goes on behind a step.',
      reply: sentByHand('text/event-stream', z.union([metricsEventSchema, statusEventSchema])),
      handle: (call) => streamMetrics({ ...deps, ticks }, call, call.params.id),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/logs/:role',
      scope: 'view',
      runParameter: 'id',
      summary: 'The log of api, trainer or env as server-sent events; Last-Event-ID goes on at a byte.',
      query: logQuerySchema,
      reply: sentByHand('text/event-stream', logEventSchema),
      handle: (call) => streamLogs({ ...deps, ticks }, call, { ...call.params, ...call.query }),
    }),
    defineRoute({
      method: 'GET',
      path: '/runs/:id/events',
      scope: 'view',
      runParameter: 'id',
      summary: 'The history of a run, each line linked to the one before; `?after=` goes on behind a cursor.',
      query: runEventQuerySchema,
      reply: runEventListSchema,
      handle: ({ principal, params, query }) => readEvents(deps, principal.tenantId, params.id, query.after),
    }),
    createStreamRoute({ ...deps, ticks }),
  ];
}

async function describeStart({ runs }: RunDeps, run: TrainingRun): Promise<RunStart> {
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

async function list(
  { runs }: RunDeps,
  tenantId: string,
  { status, environment, before, limit }: z.output<typeof runListQuerySchema>,
): Promise<RunList> {
  const page = await runs.list({ tenantId, state: status, environment, before, limit });
  return { runs: page.runs.map(summarizeRun), count: page.runs.length, next: page.next };
}

async function look(deps: RunDeps, tenantId: string, shortId: string): Promise<RunStatus> {
  const run = await deps.runs.find(tenantId, shortId);
  const [processes, now] = await Promise.all([deps.runs.processes(run), deps.store.now()]);
  return await describeRun({ store: deps.store, run, processes, now });
}

async function stop({ runs }: RunDeps, tenantId: string, shortId: string): Promise<RunStop> {
  const run = await runs.stop(tenantId, shortId, 'asked for over HTTP');
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

async function readEvents(deps: RunDeps, tenantId: string, id: string, afterCursor: number = 0): Promise<RunEventList> {
  const { runId, shortId } = await deps.runs.find(tenantId, id);
  const rows = await readEventPage({ store: deps.store, tenantId, runId, afterCursor });
  const events = rows.map(({ cursor, kind, at, data, hash }) => ({ cursor, kind, at, data: JSON.parse(data), hash }));
  return { run_id: shortId, events };
}

const MOST_COMPARED = 16;
const readNames = (names: string): string[] =>
  [...new Set(names.split(',').map((name) => name.trim()))].filter(Boolean);

async function compare(
  { store, home, runs }: RunDeps,
  tenantId: string,
  query: z.infer<typeof runComparisonQuerySchema>,
): Promise<RunComparison> {
  const ids = readNames(query.runs);
  if (ids.length < 2 || ids.length > MOST_COMPARED) {
    throw new LachesisError({
      code: 'invalid',
      message: `${ids.length} runs cannot be compared`,
      hint: `Name two to ${MOST_COMPARED} different ones: ?runs=a1b2c3d4,e5f6a7b8`,
    });
  }
  const found = await Promise.all(ids.map((id) => runs.find(tenantId, id)));
  const series = query.series === undefined ? undefined : readNames(query.series);
  return await compareRuns({ store, home, runs: found, series, points: query.limit });
}
