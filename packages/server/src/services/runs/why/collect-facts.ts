import { ledgerSchema, quarantineListSchema, type RunRole } from '@lachesis/protocol';
import type { RunProcessRecord, TrainingRun } from '@lachesis/store';
import { readRunDetails } from '../details.ts';
import { keyedHeaders } from '../engine-address.ts';
import { findLimitedAt, readEnvironmentLog } from './read-environment-log.ts';
import { readPrometheus, type PrometheusSample } from './read-prometheus.ts';
import type { InferenceFacts, Reading, RunFacts, TrainerFacts } from './run-facts.ts';

export interface CollectParts {
  /** With the token that the stations want, if they want one. */
  fetch: typeof fetch;
  /** What the Tinker server asks for; the stations are not shown it. */
  engineKey: string | undefined;
  /** The last lines of a file; none when it is not there. */
  readTail: (path: string) => Promise<string[]>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The machine of another server that the processes of a run are on, see `findOtherHost`. */
  findOtherHost: (processes: readonly RunProcessRecord[]) => string | undefined;
  /** How late this process is, in milliseconds. */
  ownLag: () => number | null;
}

/** The whole answer has 25 seconds; who needs longer than this for a status is stuck. */
const ASK_MS = 4_000;
const COMPLETIONS = new Set(['/v1/chat/completions', '/v1/completions', '/generate']);

/** Asks every part of a run at once how it is. None of them has to answer. */
export async function collectFacts(
  parts: CollectParts,
  run: TrainingRun,
  processes: readonly RunProcessRecord[],
): Promise<RunFacts> {
  const of = (role: RunRole): RunProcessRecord | undefined => processes.find((process) => process.role === role);
  const addressOf = (role: RunRole): string | undefined => {
    const port = of(role)?.port;
    return port === undefined || port === null ? undefined : `http://127.0.0.1:${port}`;
  };
  const [api, trainer] = [addressOf('api'), addressOf('trainer')];
  const loop = api === undefined ? undefined : `${api}/run/${run.shortId}`;
  const engineUrl = readRunDetails(run.details).engineUrl?.replace(/\/+$/, '');
  const [engine, status, ledger, quarantine, health, counters, apiCounters, trainerLog, environmentLog] =
    await Promise.all([
      engineUrl === undefined
        ? null
        : ask(parts, `${engineUrl}/api/v1/healthz`, () => 'ok' as const, { isEngine: true }),
      ask(parts, join(trainer, '/v1/trainer'), readTrainer),
      ask(parts, join(loop, '/v1/ledger'), (body) => ledgerSchema.parse(JSON.parse(body))),
      ask(parts, join(loop, '/v1/quarantine'), (body) => quarantineListSchema.parse(JSON.parse(body)).groups),
      ask(parts, join(trainer, '/health'), readHealth, { alsoFine: [503] }),
      ask(parts, join(trainer, '/metrics'), readPrometheus),
      ask(parts, join(api, '/metrics'), readPrometheus),
      parts.readTail(of('trainer')?.logPath ?? ''),
      parts.readTail(of('env')?.logPath ?? ''),
    ]);
  return {
    at: parts.now(),
    run: { shortId: run.shortId, state: run.state, reason: run.reason, changedAt: run.changedAt },
    processes: processes.map(({ role, state, restarts, reason }) => ({ role, state, restarts, reason })),
    otherHost: (run.stopRequestedAt === null ? parts.findOtherHost(processes) : undefined) ?? null,
    ...readSizes(run),
    engine,
    trainer: status,
    ledger,
    quarantine: 'value' in quarantine ? quarantine.value.map(({ reason }) => reason) : [],
    inference: joinInference(health, counters),
    environment: readEnvironmentLog(environmentLog),
    limitedAt: findLimitedAt(trainerLog),
    lag: { control: parts.ownLag(), 'trajectory-api': lagOf(apiCounters), trainer: lagOf(counters) },
  };
}

const join = (base: string | undefined, path: string): string | undefined =>
  base === undefined ? undefined : `${base}${path}`;

async function ask<T>(
  { fetch: send, engineKey }: CollectParts,
  url: string | undefined,
  read: (body: string) => T,
  { alsoFine = [], isEngine = false }: { alsoFine?: readonly number[]; isEngine?: boolean } = {},
): Promise<Reading<T>> {
  if (url === undefined) return { problem: 'it has no address' };
  try {
    const reply = await send(url, {
      signal: AbortSignal.timeout(ASK_MS),
      ...(isEngine ? { headers: keyedHeaders(engineKey), redirect: 'manual' } : {}),
    });
    const body = await reply.text();
    if (!reply.ok && !alsoFine.includes(reply.status)) return { problem: `${url} answers ${reply.status}` };
    return { value: read(body) };
  } catch (error) {
    return { problem: `${url} ${describeFailure(error)}` };
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'does not answer';
  if (error.name === 'TimeoutError') return `does not answer within ${ASK_MS / 1000} s`;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'ECONNREFUSED') return 'refuses connections: nothing listens there';
  return typeof code === 'string' ? `does not answer (${code})` : `answers something unreadable (${error.message})`;
}

function readTrainer(body: string): TrainerFacts {
  const { state, detail, step } = JSON.parse(body) as Partial<TrainerFacts>;
  return { state: state ?? 'unknown', detail: detail ?? '', step: step ?? 0 };
}

function readHealth(body: string): Pick<InferenceFacts, 'inFlight' | 'problem'> {
  const { problem, in_flight: inFlight } = JSON.parse(body) as { problem?: string; in_flight?: number };
  return { problem: problem ?? null, inFlight: inFlight ?? 0 };
}

function joinInference(
  health: Reading<Pick<InferenceFacts, 'inFlight' | 'problem'>>,
  counters: Reading<PrometheusSample[]>,
): Reading<InferenceFacts> {
  if ('problem' in health) return health;
  const samples = 'value' in counters ? counters.value : [];
  const calls = samples.filter(
    ({ name, labels }) => name === 'lachesis_http_requests_total' && COMPLETIONS.has(labels['route'] ?? ''),
  );
  const count = (isIt: (code: number) => boolean): number =>
    calls.reduce((sum, { labels, value }) => sum + (isIt(Number(labels['code'])) ? value : 0), 0);
  return {
    value: {
      ...health.value,
      answered: count((code) => code < 400),
      refused: count((code) => code === 429),
      broken: count((code) => code >= 500),
      tokens: {
        prompt: valueOf(samples, 'lachesis_inference_prompt_tokens_total'),
        sampled: valueOf(samples, 'lachesis_inference_sampled_tokens_total'),
      },
    },
  };
}

const valueOf = (samples: readonly PrometheusSample[], wanted: string): number =>
  samples.find(({ name }) => name === wanted)?.value ?? 0;

function lagOf(counters: Reading<PrometheusSample[]>): number | null {
  const seconds =
    'value' in counters
      ? counters.value.find(({ name }) => name === 'lachesis_event_loop_lag_seconds')?.value
      : undefined;
  return seconds === undefined ? null : Math.round(seconds * 1000);
}

function readSizes({ config }: TrainingRun): { groupSize: number; batchSize: number } {
  const { recipe } = config as { recipe?: { env?: Record<string, unknown> } };
  const read = (name: string): number => {
    const value = recipe?.env?.[name];
    return typeof value === 'number' ? value : 0;
  };
  return { groupSize: read('group_size'), batchSize: read('batch_size') };
}
