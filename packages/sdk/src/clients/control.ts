import type { z } from 'zod';
import {
  type runListQuerySchema,
  type modelQuerySchema,
  type logQuerySchema,
  type lineageQuerySchema,
  type improvementQuerySchema,
  configEditReplySchema,
  controlConfigSchema,
  controlHealthSchema,
  decodeFrames,
  environmentCheckSchema,
  environmentListSchema,
  environmentSelectionSchema,
  environmentSourceSchema,
  GROUP_FRAMES_CONTENT_TYPE,
  improvementListSchema,
  improvementSchema,
  improvementStartSchema,
  type improvePlanSchema,
  inferenceTestSchema,
  jobSchemas,
  lineageSchema,
  modelAdapterLineSchema,
  modelComparisonLineSchema,
  modelDetailSchema,
  modelPromotionSchema,
  modelSampleSchemas,
  modelVersionListSchema,
  rolloutSchemas,
  runComparisonSchema,
  runEstimateSchema,
  runListSchema,
  runMetricsSchema,
  runStartSchema,
  runStatusSchema,
  runResumeSchema,
  runStopSchema,
  sessionSchemas,
  whyReplySchema,
  type ConfigEdit,
  type ConfigEditReply,
  type ControlConfig,
  type ControlHealth,
  type EnvironmentCheck,
  type EnvironmentEntry,
  type EnvironmentSelection,
  type EnvironmentSource,
  type InferenceTest,
  type Lineage,
  type ModelChange,
  type modelComparisonSchema,
  type ModelDetail,
  type modelEvaluationSchema,
  type ModelImprovement,
  type RegisteredModel,
  type RegisteredPromotion,
  type RlToolInputs,
  type RolloutGroup,
  type RunComparison,
  type runComparisonQuerySchema,
  type RunEstimate,
  type RunList,
  type RunMetrics,
  type RunMetricsQuery,
  type RunRequest,
  type RunRole,
  type RunStart,
  type RunStatus,
  type RunStop,
  type WhyReply,
} from '@lachesis/protocol';
import { readLogEvents, readMetricsEvents, type LogLines, type MetricsChange } from './control-streams.ts';
import { readWork } from './read-work.ts';
import { request, requestBytes, type RequestBase, type SendOptions } from './request.ts';

type ImprovementQuery = z.infer<typeof improvementQuerySchema>;
type LineageQuery = z.infer<typeof lineageQuerySchema>;
type LogQuery = z.infer<typeof logQuerySchema>;
type ModelAdapter = Extract<z.infer<typeof modelAdapterLineSchema>, { adapter: unknown }>['adapter'];
type ModelComparison = z.input<typeof modelComparisonSchema>;
type ModelComparisonLine = z.infer<typeof modelComparisonLineSchema>;
type ModelEvaluation = z.infer<typeof modelEvaluationSchema>;
type ModelQuery = z.infer<typeof modelQuerySchema>;
type RolloutListQuery = z.infer<(typeof rolloutSchemas)['listQuery']>;
type RolloutSteps = z.infer<(typeof rolloutSchemas)['list']>;
type RunListQuery = z.infer<typeof runListQuerySchema>;

export type ControlClientOptions = RequestBase & {
  /** For how long calls that may be made twice are tried again while the server is away; default two seconds. */
  retryForMs?: number | undefined;
};

export interface ControlCallOptions {
  signal?: AbortSignal | undefined;
}

/** How much of a log is wanted, from where, and whether to wait for more. */
export interface FollowLogOptions extends ControlCallOptions, LogQuery {
  /** `offset` of the last lines that were seen: goes on behind them. */
  offset?: string | undefined;
}

export interface FollowMetricsOptions extends ControlCallOptions {
  /** `cursor` of the last change that was seen. */
  cursor?: string | undefined;
}

/** What may be asked of `POST /test/inference`; what is left out is the server's to fill in. */
export type InferenceTestInput = Omit<RlToolInputs['rl_test_inference'], 'test_id'>;

/** The control server: environments, the configuration of the next run, runs and what they say. */
export interface ControlClient {
  /** Where the server is, for who has to name it. */
  readonly url: string;
  /** Throws when the server is away, or is no control server. */
  /** A code that lets the page of the server in, once; `conflict` where no token is asked for. */
  makeSessionCode(options?: ControlCallOptions): Promise<z.infer<(typeof sessionSchemas)['code']>>;
  health(options?: ControlCallOptions): Promise<ControlHealth>;
  listEnvironments(options?: ControlCallOptions): Promise<EnvironmentEntry[]>;
  selectEnvironment(name: string, options?: ControlCallOptions): Promise<EnvironmentSelection>;
  /** The file an environment is written in, the beginning of a long one. */
  readEnvironmentSource(name: string, options?: ControlCallOptions): Promise<EnvironmentSource>;
  /** What an environment must be able to do, tried without a model. */
  checkEnvironment(name: string, options?: ControlCallOptions): Promise<EnvironmentCheck>;
  readConfig(options?: ControlCallOptions): Promise<ControlConfig>;
  editConfig(edit: ConfigEdit, options?: ControlCallOptions): Promise<ConfigEditReply>;
  estimateRun(options?: ControlCallOptions): Promise<RunEstimate>;
  /** Resolves at once: the run starts in the background. Made once, unless it has an idempotency key. */
  startRun(run?: RunRequest, options?: ControlCallOptions): Promise<RunStart>;
  listRuns(query?: RunListQuery, options?: ControlCallOptions): Promise<RunList>;
  readRun(runId: string, options?: ControlCallOptions): Promise<RunStatus>;
  stopRun(runId: string, options?: ControlCallOptions): Promise<RunStop>;
  /** Goes on with a run that has ended, from what it saved. */
  resumeRun(runId: string, options?: ControlCallOptions): Promise<z.infer<typeof runResumeSchema>>;
  /** Several runs beside each other; the first is what the others are compared with. */
  compareRuns(
    runIds: readonly string[],
    query?: Omit<z.infer<typeof runComparisonQuerySchema>, 'runs'>,
    options?: ControlCallOptions,
  ): Promise<RunComparison>;
  readMetrics(runId: string, query?: RunMetricsQuery, options?: ControlCallOptions): Promise<RunMetrics>;
  /** Who waits for whom. */
  explainRun(runId: string, options?: ControlCallOptions): Promise<WhyReply>;
  /** The steps of a run, the newest first; with an item, those that trained on it. */
  listSteps(runId: string, query?: RolloutListQuery, options?: ControlCallOptions): Promise<RolloutSteps>;
  /** The groups of a step, with scores and advantages. */
  readStep(
    runId: string,
    step: number,
    query?: z.infer<(typeof rolloutSchemas)['pageQuery']>,
    options?: ControlCallOptions,
  ): Promise<z.infer<(typeof rolloutSchemas)['page']>>;
  /** The packed groups of a step, as the environments sent them: read them with `decodeGroup` of the protocol. */
  readStepPayloads(
    runId: string,
    step: number,
    query?: z.infer<(typeof rolloutSchemas)['pageQuery']>,
    options?: ControlCallOptions,
  ): Promise<Uint8Array[]>;
  /** One group whole; `tokens: false` leaves out tokens, mask and log probabilities. */
  readGroup(
    runId: string,
    groupId: string,
    query?: z.infer<(typeof rolloutSchemas)['groupQuery']>,
    options?: ControlCallOptions,
  ): Promise<RolloutGroup>;
  /** Lines as they come, until the run has ended; with `follow: false` those that are there. */
  followLog(runId: string, role: RunRole, options?: FollowLogOptions): AsyncGenerator<LogLines>;
  /** Points and changes of state as they come, until the run has ended. */
  followMetrics(runId: string, options?: FollowMetricsOptions): AsyncGenerator<MetricsChange>;
  /** A longer test comes back `running`: read on with its `test_id`. */
  testInference(test: InferenceTestInput, options?: ControlCallOptions): Promise<InferenceTest>;
  readInferenceTest(testId: string, options?: ControlCallOptions): Promise<InferenceTest>;
  /** Improvements of models, the newest first. */
  listImprovements(
    query?: ImprovementQuery,
    options?: ControlCallOptions,
  ): Promise<{ improvements: ModelImprovement[] }>;
  /** By its id, the beginning of it, or the name of its model. */
  readImprovement(ref: string, options?: ControlCallOptions): Promise<ModelImprovement>;
  /** Begins one, or finds the one of the model that is open. Made once: it trains, and somebody may pay for that. */
  startImprovement(
    plan: z.input<typeof improvePlanSchema>,
    options?: ControlCallOptions,
  ): Promise<z.infer<typeof improvementStartSchema>>;
  stopImprovement(ref: string, options?: ControlCallOptions): Promise<ModelImprovement>;
  /** Has one that was interrupted go on. */
  resumeImprovement(ref: string, options?: ControlCallOptions): Promise<ModelImprovement>;
  /** Jobs of many items, such as those of `lachesis batch`, the newest first: how far each is. */
  listJobs(
    query?: z.input<(typeof jobSchemas)['query']>,
    options?: ControlCallOptions,
  ): Promise<z.infer<(typeof jobSchemas)['list']>>;
  /** By its name or the beginning of it; with why the first of its items failed. */
  readJob(ref: string, options?: ControlCallOptions): Promise<z.infer<(typeof jobSchemas)['detail']>>;
  /** Registered models, the newest version first. */
  listModels(query?: ModelQuery, options?: ControlCallOptions): Promise<{ models: RegisteredModel[] }>;
  /** `name` for its newest version, `name@3` for the third, or an id. */
  readModel(ref: string, options?: ControlCallOptions): Promise<ModelDetail>;
  /** Makes a version the one its name serves. */
  promoteModel(ref: string, change: ModelChange, options?: ControlCallOptions): Promise<RegisteredPromotion>;
  /** Back to what a name served before its last promotion. Made once: doing it twice goes back by two. */
  rollBackModel(name: string, change: ModelChange, options?: ControlCallOptions): Promise<RegisteredPromotion>;
  /** Keeps what was measured of a model with it; the same twice is kept once. */
  saveEvaluation(ref: string, evaluation: ModelEvaluation, options?: ControlCallOptions): Promise<ModelDetail>;
  /** Two models on the same rows of a data set, on the engine of the server, as it is measured. Throws where it breaks off. */
  compareModels(comparison: ModelComparison, options?: ControlCallOptions): AsyncGenerator<ComparedLine>;
  /** Replies of a model from given tokens on, in order, on the engine of the server. Throws where it breaks off. */
  sampleReplies(
    ask: z.input<(typeof modelSampleSchemas)['ask']>,
    options?: ControlCallOptions,
  ): AsyncGenerator<SampledReply>;
  /** The files of a model's adapter, when the server has brought them from its engine. */
  readAdapter(ref: string, options?: ControlCallOptions): Promise<ModelAdapter>;
  /** Where one of those files is fetched from, with the token as every call. */
  locateAdapterFile(ref: string, file: string): URL;
  /** What `model:support@2`, `feedback:<id>` or `reply:<id>` was made from, and what was made of it. */
  readLineage(what: string, query?: LineageQuery, options?: ControlCallOptions): Promise<Lineage>;
}

/** What a comparison tells of; how the stream is kept and ended is not among it. */
type ComparedLine =
  | Exclude<ModelComparisonLine, { done: true } | { failed: unknown } | { waiting: true } | { said: string }>
  | { said: string };

type SampledReply = Extract<z.infer<(typeof modelSampleSchemas)['line']>, { sampled: unknown }>['sampled'];

const DEFAULT_RETRY_MS = 2_000;

/** A client of a control server; calls that may be made twice are tried again for `retryForMs` while it is away. */
export function createControlClient(options: ControlClientOptions): ControlClient {
  const { retryForMs = DEFAULT_RETRY_MS, ...base } = options;
  const plan = (
    method: SendOptions['method'],
    path: string,
    { signal }: ControlCallOptions = {},
    rest: Partial<SendOptions> = {},
  ): SendOptions => ({ ...base, method, path, signal, retryForMs, ...rest });
  const ofRun = (runId: string, rest = ''): string => `/runs/${encodeURIComponent(runId)}${rest}`;
  const ofImprovement = (ref: string, rest = ''): string => `/improvements/${encodeURIComponent(ref)}${rest}`;
  const ofModel = (ref: string, rest = ''): string => `/models/${encodeURIComponent(ref)}${rest}`;

  return {
    url: withoutCredentials(base.url),
    // Asked to find out whether it answers: a failure is the answer, and is not tried away.
    health: (callOptions) =>
      request({
        ...plan('GET', '/health', callOptions, { retryForMs: 0, timeoutMs: 3_000 }),
        parse: controlHealthSchema.parse,
      }),
    makeSessionCode: (callOptions) =>
      request({ ...plan('POST', '/v1/session/code', callOptions, { body: {} }), parse: sessionSchemas.code.parse }),
    listEnvironments: (callOptions) =>
      request({ ...plan('GET', '/environments', callOptions), parse: environmentListSchema.parse }),
    selectEnvironment: (name, callOptions) =>
      request({
        ...plan('POST', `/environments/${encodeURIComponent(name)}/select`, callOptions, { body: {} }),
        parse: environmentSelectionSchema.parse,
      }),
    readEnvironmentSource: (name, callOptions) =>
      request({
        ...plan('GET', `/environments/${encodeURIComponent(name)}/source`, callOptions),
        parse: environmentSourceSchema.parse,
      }),
    checkEnvironment: (name, callOptions) =>
      request({
        ...plan('POST', `/environments/${encodeURIComponent(name)}/check`, callOptions, { body: {} }),
        parse: environmentCheckSchema.parse,
      }),
    readConfig: (callOptions) => request({ ...plan('GET', '/config', callOptions), parse: controlConfigSchema.parse }),
    editConfig: (edit, callOptions) =>
      request({ ...plan('POST', '/config', callOptions, { body: edit }), parse: configEditReplySchema.parse }),
    estimateRun: (callOptions) =>
      request({ ...plan('GET', '/config/estimate', callOptions), parse: runEstimateSchema.parse }),
    startRun: (run = {}, callOptions) =>
      request({
        ...plan('POST', '/runs', callOptions, {
          body: run,
          retryForMs: run.idempotency_key === undefined ? 0 : retryForMs,
        }),
        parse: runStartSchema.parse,
      }),
    listRuns: (query = {}, callOptions) =>
      request({ ...plan('GET', `/runs${writeQuery(query)}`, callOptions), parse: runListSchema.parse }),
    readRun: (runId, callOptions) =>
      request({ ...plan('GET', ofRun(runId), callOptions), parse: runStatusSchema.parse }),
    stopRun: (runId, callOptions) =>
      request({ ...plan('POST', ofRun(runId, '/stop'), callOptions, { body: {} }), parse: runStopSchema.parse }),
    resumeRun: (runId, callOptions) =>
      request({ ...plan('POST', ofRun(runId, '/resume'), callOptions, { body: {} }), parse: runResumeSchema.parse }),
    compareRuns: (runIds, query = {}, callOptions) =>
      request({
        ...plan('GET', `/runs/compare${writeQuery({ runs: runIds.join(','), ...query })}`, callOptions),
        parse: runComparisonSchema.parse,
      }),
    readMetrics: (runId, query = {}, callOptions) =>
      request({
        ...plan('GET', ofRun(runId, `/metrics${writeQuery(query)}`), callOptions),
        parse: runMetricsSchema.parse,
      }),
    explainRun: (runId, callOptions) =>
      request({ ...plan('GET', ofRun(runId, '/why'), callOptions), parse: whyReplySchema.parse }),
    listSteps: (runId, query = {}, callOptions) =>
      request({
        ...plan('GET', ofRun(runId, `/steps${writeQuery(query)}`), callOptions),
        parse: rolloutSchemas.list.parse,
      }),
    readStep: (runId, step, query = {}, callOptions) =>
      request({
        ...plan('GET', ofRun(runId, `/steps/${step}${writeQuery(query)}`), callOptions),
        parse: rolloutSchemas.page.parse,
      }),
    readStepPayloads: async (runId, step, query = {}, callOptions) =>
      decodeFrames(
        await requestBytes(
          plan('GET', ofRun(runId, `/steps/${step}${writeQuery(query)}`), callOptions, {
            headers: { accept: GROUP_FRAMES_CONTENT_TYPE },
          }),
        ),
      ),
    readGroup: (runId, groupId, query = {}, callOptions) =>
      request({
        ...plan('GET', ofRun(runId, `/groups/${encodeURIComponent(groupId)}${writeQuery(query)}`), callOptions),
        parse: rolloutSchemas.group.parse,
      }),
    followLog: (runId, role, { signal, offset, tail, follow } = {}) =>
      readLogEvents({
        ...base,
        path: ofRun(runId, `/logs/${encodeURIComponent(role)}${writeQuery({ tail, follow })}`),
        lastEventId: offset,
        signal,
      }),
    followMetrics: (runId, { signal, cursor } = {}) =>
      readMetricsEvents({ ...base, path: ofRun(runId, '/metrics/stream'), lastEventId: cursor, signal }),
    // Asks models that somebody may pay for, so it is made once.
    testInference: (test, callOptions) =>
      request({
        ...plan('POST', '/test/inference', callOptions, { body: test, retryForMs: 0 }),
        parse: inferenceTestSchema.parse,
      }),
    readInferenceTest: (testId, callOptions) =>
      request({
        ...plan('GET', `/test/inference/${encodeURIComponent(testId)}`, callOptions),
        parse: inferenceTestSchema.parse,
      }),
    listImprovements: (query = {}, callOptions) =>
      request({ ...plan('GET', `/improvements${writeQuery(query)}`, callOptions), parse: improvementListSchema.parse }),
    readImprovement: (ref, callOptions) =>
      request({ ...plan('GET', ofImprovement(ref), callOptions), parse: improvementSchema.parse }),
    startImprovement: (wanted, callOptions) =>
      request({
        ...plan('POST', '/improvements', callOptions, { body: wanted, retryForMs: 0 }),
        parse: improvementStartSchema.parse,
      }),
    stopImprovement: (ref, callOptions) =>
      request({
        ...plan('POST', ofImprovement(ref, '/stop'), callOptions, { body: {} }),
        parse: improvementSchema.parse,
      }),
    resumeImprovement: (ref, callOptions) =>
      request({
        ...plan('POST', ofImprovement(ref, '/resume'), callOptions, { body: {} }),
        parse: improvementSchema.parse,
      }),
    listJobs: (query = {}, callOptions) =>
      request({ ...plan('GET', `/jobs${writeQuery(query)}`, callOptions), parse: jobSchemas.list.parse }),
    readJob: (ref, callOptions) =>
      request({
        ...plan('GET', `/jobs/${encodeURIComponent(ref)}`, callOptions),
        parse: jobSchemas.detail.parse,
      }),
    listModels: (query = {}, callOptions) =>
      request({ ...plan('GET', `/models${writeQuery(query)}`, callOptions), parse: modelVersionListSchema.parse }),
    readModel: (ref, callOptions) =>
      request({ ...plan('GET', ofModel(ref), callOptions), parse: modelDetailSchema.parse }),
    promoteModel: (ref, change, callOptions) =>
      request({
        ...plan('POST', ofModel(ref, '/promote'), callOptions, { body: change }),
        parse: modelPromotionSchema.parse,
      }),
    rollBackModel: (name, change, callOptions) =>
      request({
        ...plan('POST', ofModel(name, '/rollback'), callOptions, { body: change, retryForMs: 0 }),
        parse: modelPromotionSchema.parse,
      }),
    saveEvaluation: (ref, evaluation, callOptions) =>
      request({
        ...plan('POST', ofModel(ref, '/evaluations'), callOptions, { body: evaluation }),
        parse: modelDetailSchema.parse,
      }),
    compareModels: (comparison, callOptions) =>
      readWork(plan('POST', '/models/compare', callOptions, { body: comparison }), modelComparisonLineSchema.parse),
    sampleReplies: async function* (ask, callOptions) {
      const call = plan('POST', '/models/sample', callOptions, { body: ask });
      for await (const line of readWork(call, modelSampleSchemas.line.parse)) if ('sampled' in line) yield line.sampled;
    },
    readAdapter: async (ref, callOptions) => {
      const call = plan('GET', ofModel(ref, '/adapter'), callOptions);
      const lines = readWork(call, modelAdapterLineSchema.parse, 'adapter');
      for await (const line of lines) if ('adapter' in line) return line.adapter;
      throw new Error('unreachable: a stream without its end has thrown');
    },
    locateAdapterFile: (ref, file) =>
      new URL(`${base.url.replace(/\/+$/, '')}${ofModel(ref, `/adapter/${encodeURIComponent(file)}`)}`),
    readLineage: (what, query = {}, callOptions) =>
      request({
        ...plan('GET', `/lineage/${encodeURIComponent(what)}${writeQuery(query)}`, callOptions),
        parse: lineageSchema.parse,
      }),
  };
}

function writeQuery(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** The address goes into sentences that models and people read. */
function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
