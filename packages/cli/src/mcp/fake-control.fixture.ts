import type {
  ControlConfig,
  DatasetReport,
  DatasetVersion,
  InferenceTest,
  RegisteredModel,
  RunMetrics,
  RunStart,
  RunState,
  RunStatus,
  WhyReply,
} from '@lachesis/protocol';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test changes about the server. */
export interface FakeControlOptions {
  /** Asked of every call when given. */
  token?: string;
  /** How often an inference test is read before it has ended. */
  testReads?: number;
  estimatedSeconds?: number;
  /** Told what a run is asked for with. */
  onStart?: (body: unknown) => void;
  /** A started run is running from the status after so many; it stays as it is when left out. */
  statusesToRunning?: number;
}

export interface FakeControl extends AsyncDisposable {
  readonly url: string;
  /** `GET /runs` and the like, in order. */
  readonly calls: string[];
  /** Moves a run, as its processes would. */
  setState(state: RunState, change?: Partial<RunStatus>): void;
}

const RUN_ID = 'a1b2c3d4';
const LOGS = { api: '/logs/api_a1b2c3d4.log', trainer: '/logs/trainer_a1b2c3d4.log', env: '/logs/env_a1b2c3d4.log' };
const WANDB = { wandb_project: 'lachesis', wandb_run_name: 'digits-20260101-000000' };
const STARTED_AT = 1_700_000_000_000;
const IMPROVEMENT = {
  ...{ improvement_id: 'i1', model: 'support', stage: 'collect', outcome: null, reason: null, problem: null },
  ...{ stages: [], state: 'waiting', progress: null, created_at: 1, ended_at: null },
};
const JOB = {
  ...{ name: 'my_run', item_count: 3, counts: { ready: 1, leased: 0, done: 1, discarded: 0, failed: 1 } },
  ...{ cost: 0.5, is_worked_on: false, created_at: 1, changed_at: 1 },
};

const MODEL: RegisteredModel = {
  ...{ name: 'support', version: 1, model_version_id: 'm1', base_model: 'tiny', method: 'sft' },
  ...{ weights_path: 'tinker://m/1', state_path: null, run: null, step: null, parent: null, dataset: null },
  ...{ config: {}, evaluations: [], created_at: STARTED_AT, is_promoted: true },
};

const DATASET: DatasetVersion = {
  ...{
    dataset_id: 'd1',
    name: 'support',
    version: 1,
    is_held_out: false,
    row_count: 3,
    content_digest: '0'.repeat(64),
  },
  ...{ recipe: {}, created_at: STARTED_AT, splits: {} },
};
const REPORT: DatasetReport = {
  ...{ row_count: 3, trainable_count: 3, checked: ['equal-pair'], held_out_checked: true, findings: [] },
};

/** The control API as its shapes promise it, over a real socket, with one environment and one run. */
export async function startFakeControl(options: FakeControlOptions = {}): Promise<FakeControl> {
  const calls: string[] = [];
  const config = new Map<string, unknown>([
    ['group_size', 4],
    ['wandb_name', 'digits-20260101-000000'],
  ]);
  let run: RunStatus | undefined;
  let readsLeft = 0;
  let statusesLeft = Infinity;

  const refuse = (response: ServerResponse, status: number, code: string, message: string, hint?: string): void =>
    send(response, status, { error: { code, message, ...(hint === undefined ? {} : { hint }) } });

  const findRun = (id: string, response: ServerResponse): RunStatus | undefined => {
    if (run?.run_id === id) return run;
    refuse(response, 404, 'not-found', `There is no run ${id}.`, 'GET /runs lists them.');
    return undefined;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const call = `${request.method} ${url.pathname}`;
    calls.push(call);
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      refuse(response, 401, 'unauthorized', 'The token is missing or unknown.');
      return;
    }
    const body = await readBody(request);
    const ok = (value: unknown): void => send(response, 200, value);
    const [, first, second, third, fourth] = url.pathname.split('/').map(decodeURIComponent);
    if (call === 'GET /health') ok({ status: 'ok', service: 'control', library: 'fake', active_runs: 0 });
    else if (call === 'GET /improvements') ok({ improvements: [] });
    else if (call === 'POST /improvements') ok({ ...IMPROVEMENT, is_new: true });
    else if (first === 'improvements') {
      if (second !== 'i1') refuse(response, 404, 'not-found', `There is no improvement ${second}.`);
      else ok(third === 'stop' ? { ...IMPROVEMENT, outcome: 'stopped', state: 'ended', ended_at: 2 } : IMPROVEMENT);
    } else if (call === 'GET /jobs') ok({ jobs: [JOB], next: null });
    else if (first === 'jobs') {
      if (second === 'my_run') ok({ ...JOB, failures: [{ index: 2, attempts: 3, reason: 'away' }] });
      else refuse(response, 404, 'not-found', `There is no job ${second}.`);
    } else if (call === 'GET /models') ok({ models: [MODEL] });
    else if (first === 'models') {
      if (second === 'support@1') ok({ model: MODEL, parent_name: null, promotions: [] });
      else refuse(response, 404, 'not-found', `There is no model ${second}.`);
    } else if (first === 'lineage') {
      const trace = { nodes: [], arrows: [], is_cut: false };
      ok({ from: { kind: 'model', id: MODEL.model_version_id }, back: trace, forward: trace, names: {} });
    } else if (call === 'GET /v1/datasets') ok({ datasets: [DATASET] });
    else if (call === 'GET /v1/feedback/agreement') ok({ by: 'judge', agreement: [] });
    else if (second === 'datasets') {
      if (third !== 'support@1') refuse(response, 404, 'not-found', `There is no data set ${third}.`);
      else ok(fourth === 'check' ? REPORT : DATASET);
    } else if (call === 'GET /environments') ok([DIGITS]);
    else if (first === 'environments' && third === 'select') {
      if (second !== DIGITS.name) refuse(response, 404, 'not-found', `There is no environment ${second}.`);
      else ok({ message: 'Selected.', environment: second, file_path: DIGITS.file_path, config: readConfig(config) });
    } else if (call === 'GET /environments/digits/source') {
      ok({ name: 'digits', file_path: DIGITS.file_path, language: 'typescript', size: 2, is_cut: false, text: '{}' });
    } else if (call === 'POST /environments/digits/check') {
      ok({ name: 'digits', passed: true, lines: [{ name: 'loads', verdict: 'ok', detail: 'digits' }] });
    } else if (call === 'GET /config') ok(readConfig(config));
    else if (call === 'POST /config') {
      const { field, value } = body as { field: string; value: unknown };
      if (field === 'lora_rank') refuse(response, 409, 'conflict', 'lora_rank is locked.');
      else if (!config.has(field)) {
        refuse(response, 422, 'invalid', `There is no field ${field}.`, 'Did you mean group_size?');
      } else if (field === 'group_size' && !Number.isInteger(value)) {
        refuse(response, 422, 'invalid', 'group_size wants a whole number.');
      } else {
        config.set(field, value);
        ok({ message: `${field} is set.`, field, value, config: readConfig(config) });
      }
    } else if (call === 'POST /runs') {
      options.onStart?.(body);
      run = createRun(options.estimatedSeconds ?? null);
      statusesLeft = options.statusesToRunning ?? Infinity;
      const start: RunStart = {
        run_id: RUN_ID,
        status: 'starting',
        environment: DIGITS.name,
        config: Object.fromEntries(config),
        config_path: run.config_path,
        logs: LOGS,
        ...WANDB,
        message: 'The run starts.',
      };
      ok(start);
    } else if (call === 'GET /runs')
      ok({ runs: run === undefined ? [] : [run], count: run === undefined ? 0 : 1, next: null });
    else if (first === 'runs' && second !== undefined) {
      const found = findRun(second, response);
      if (found === undefined) return;
      if (third === undefined) {
        statusesLeft -= 1;
        if (statusesLeft < 0 && found.status === 'starting') run = { ...found, status: 'running' };
        ok(run);
      } else if (third === 'stop') {
        run = { ...found, status: 'stopped', reason: 'somebody asked for it' };
        ok({ run_id: RUN_ID, status: 'stopped', message: 'The run is stopped.' });
      } else if (third === 'metrics') ok(readMetrics(found));
      else if (third === 'why') ok(readWhy(found));
      else if (third === 'logs') sendLog(response, fourth ?? '');
      else refuse(response, 404, 'not-found', 'There is no such path.');
    } else if (call === 'POST /test/inference') {
      readsLeft = options.testReads ?? 0;
      ok(readTest(readsLeft, body));
    } else if (first === 'test' && third !== undefined) {
      readsLeft -= 1;
      ok(readTest(readsLeft, {}));
    } else refuse(response, 404, 'not-found', 'There is no such path.');
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    setState(state, change = {}) {
      run = { ...(run ?? createRun(null)), status: state, ...change };
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const DIGITS = {
  name: 'digits',
  class_name: 'Digits',
  file_path: 'environments/digits.ts',
  description: 'Say a digit.',
};

function readConfig(config: ReadonlyMap<string, unknown>): ControlConfig {
  const field = (name: string, type: string, value: unknown) => ({
    ...{ name, type, default: value, description: name, current_value: value },
  });
  return {
    environment: DIGITS.name,
    configurable_fields: [...config].map(([name, value]) => field(name, typeof value, value)),
    locked_fields: [field('lora_rank', 'whole number', 32)],
  };
}

function createRun(estimatedSeconds: number | null): RunStatus {
  return {
    run_id: RUN_ID,
    status: 'starting',
    reason: null,
    environment: DIGITS.name,
    running_time_minutes: 0,
    processes: { api: 'running', trainer: 'running', env: 'running' },
    process_details: [],
    logs: LOGS,
    metrics: { step: 2, state: 'running', reward_mean: 0.5, loss: 0.1 },
    total_steps: 10,
    inference_url: null,
    weights_path: null,
    config_path: '/runs/run_a1b2c3d4.yaml',
    ...WANDB,
    estimated_seconds: estimatedSeconds,
    created_at: STARTED_AT,
    started_at: STARTED_AT,
    ended_at: null,
    changed_at: STARTED_AT,
  };
}

const readWhy = ({ run_id: runId, status }: RunStatus): WhyReply => ({
  ...{ run_id: runId, status, cause: 'not-learning', message: 'It does not learn.', hint: null, waits: [] },
  learning: [{ cause: 'no-reward', facts: {}, message: 'nothing was earned', command: 'lachesis train warm-up' }],
  event_loop_lag: {},
});

const readMetrics = (run: RunStatus): RunMetrics => ({
  run_id: run.run_id,
  status: run.status,
  environment: run.environment,
  final_metrics: { 'reward/mean': 0.5 },
  history: [{ step: 1, 'reward/mean': 0.25 }],
  series: ['reward/mean'],
  metrics_url: null,
  weights_path: 'tinker://a1b2c3d4/sampler_weights/000010',
  ...WANDB,
});

function readTest(readsLeft: number, body: unknown): InferenceTest {
  const { prompts = [] } = body as { prompts?: string[] };
  return {
    test_id: 'test-1',
    status: readsLeft > 0 ? 'running' : 'completed',
    environment: DIGITS.name,
    results: prompts.map((prompt) => ({ prompt, response: '4', score: 1, reason: null })),
    summary: { passed: readsLeft > 0 ? null : true, message: readsLeft > 0 ? 'replies come in' : 'all is well' },
  };
}

function sendLog(response: ServerResponse, role: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': warm\n\n');
  response.write(`event: lines\nid: 20\ndata: ${JSON.stringify({ lines: [`${role} begins`, 'é'] })}\n\n`);
  response.end('event: end\ndata: {}\n\n');
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : JSON.parse(text);
}
