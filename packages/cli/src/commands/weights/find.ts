import { isFinalRunState } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import {
  formatTinkerPath,
  parseTinkerPath,
  planListCheckpoints,
  readCheckpointList,
  type WeightsServer,
} from '@lachesis/tinker';

export interface FindWeightsOptions {
  client: Pick<ControlClient, 'readRun' | 'readMetrics'>;
  runId: string;
  /** The weights that this step made; the newest when left out. */
  step: number | undefined;
  engine: WeightsServer;
}

export interface FoundWeights {
  path: string;
  /** The step that made them; null where a path was given, which does not say it. */
  step: number | null;
}

const VERSION_SERIES = 'train/policy_version';
/** As many rows of a history as a server gives. */
const MOST_ROWS = 5_000;
const LIST_TIMEOUT_MS = 30_000;
const SHOWN_STEPS = 12;

/** The weights that are named by their own path; undefined where a run is named. */
export const readWeightsPath = (named: string): FoundWeights | undefined =>
  named.startsWith('tinker://') ? { path: named, step: null } : undefined;

/** The `tinker://` path of what a run learned. Throws a sentence when there is none. */
export async function findWeights({ client, runId, step, engine }: FindWeightsOptions): Promise<FoundWeights> {
  const status = await client.readRun(runId);
  const newest = status.weights_path;
  if (newest === null) {
    const next = isFinalRunState(status.status)
      ? 'It ended before it learned anything.'
      : `\`lachesis runs watch ${runId}\` shows its steps.`;
    throw new Error(
      `run ${runId} has saved no weights: it is ${status.status} at step ${status.metrics.step}. ${next}`,
    );
  }
  if (step === undefined) return { path: newest, step: status.metrics.step };
  const { history } = await client.readMetrics(runId, { series: VERSION_SERIES, limit: MOST_ROWS });
  const versions = new Map(
    history.flatMap((row) => {
      const version = row[VERSION_SERIES];
      // Of a history that was thinned out only whole numbers are versions.
      return typeof version === 'number' && Number.isInteger(version) ? [[row.step, version] as const] : [];
    }),
  );
  const kept = await listKept(engine, newest);
  const wanted = versions.get(step);
  const path = wanted === undefined ? undefined : kept.get(wanted);
  if (path !== undefined) return { path, step };
  const steps = [...versions].flatMap(([each, version]) => (kept.has(version) ? [each] : []));
  const there = steps.length === 0 ? 'of no step that is known' : `of steps ${steps.slice(-SHOWN_STEPS).join(', ')}`;
  throw new Error(
    `the weights of step ${step} of run ${runId} are not kept. The engine has those ${there}; without --step the newest are taken.`,
  );
}

/** Paths of the policies that the engine still has, by version. */
async function listKept(engine: WeightsServer, newest: string): Promise<Map<number, string>> {
  const { run, kind, name: newestName } = parseTinkerPath(newest);
  const plan = planListCheckpoints({ run });
  const send = engine.fetch ?? fetch;
  const response = await send(`${engine.baseUrl.replace(/\/+$/, '')}/${plan.path}`, {
    method: plan.method,
    headers: { ...(await engine.headers?.()) },
    signal: AbortSignal.timeout(LIST_TIMEOUT_MS),
  });
  if (!response.ok)
    throw new Error(`the engine at ${engine.baseUrl} answered ${response.status} to the list of what it keeps.`);
  const kept = new Map<number, { attempt: number; path: string }>();
  for (const { path } of readCheckpointList(await response.json()).checkpoints) {
    const { kind: ownKind, name } = parseTinkerPath(path);
    if (ownKind === 'weights') continue;
    // A name that a dead process had taken is followed by a number.
    const match = /^policy-(\d+)(?:-(\d+))?$/.exec(name);
    if (match === null) continue;
    const [version, attempt] = [Number(match[1]), Number(match[2] ?? 1)];
    // The server knows each under one name only; the form is that of the path we were given.
    const found = { attempt, path: formatTinkerPath({ run, kind, name }) };
    if (name === newestName || attempt > (kept.get(version)?.attempt ?? 0)) kept.set(version, found);
  }
  return new Map([...kept].map(([version, { path }]) => [version, path]));
}
