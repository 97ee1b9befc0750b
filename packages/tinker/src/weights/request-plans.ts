import { checkpointId, formatTinkerPath, parseTinkerPath } from './tinker-path.ts';
import type { TinkerPath } from './tinker-path.ts';
import { WeightsError } from './weights-error.ts';

/** A request as data: whoever has the transport sends it. */
export interface RequestPlan {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under the base URL and without a slash in front, such as `api/v1/checkpoints`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface PageOptions {
  limit?: number;
  offset?: number;
}

/** The managed service takes an hour to ten years. */
export const TTL_SECONDS = Object.freeze({ least: 3600, most: 315_360_000 });

const root = 'api/v1';

/** The slash between kind and name is part of the route and stays; servers do not find it percent-encoded. */
const checkpointRoute = (path: TinkerPath, id = checkpointId(path)): string =>
  `${root}/training_runs/${path.run}/checkpoints/${id}`;

const toPath = (path: string | TinkerPath): TinkerPath => (typeof path === 'string' ? parseTinkerPath(path) : path);

/** Checked as a path is, so that an id from elsewhere cannot become another route. */
const checkRun = (run: string): string => parseTinkerPath(`tinker://${run}/any`).run;

function pageQuery({ limit, offset }: PageOptions): { query?: Record<string, string> } {
  const query = {
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(offset === undefined ? {} : { offset: String(offset) }),
  };
  return Object.keys(query).length === 0 ? {} : { query };
}

export const planListRuns = (page: PageOptions = {}): RequestPlan => ({
  method: 'GET',
  path: `${root}/training_runs`,
  ...pageQuery(page),
});

export const planReadRun = ({ run }: { run: string }): RequestPlan => ({
  method: 'GET',
  path: `${root}/training_runs/${checkRun(run)}`,
});

/** Without a run: every checkpoint of the user, which SkyRL does not serve. */
export const planListCheckpoints = ({ run, ...page }: PageOptions & { run?: string } = {}): RequestPlan =>
  run === undefined
    ? { method: 'GET', path: `${root}/checkpoints`, ...pageQuery(page) }
    : { method: 'GET', path: `${root}/training_runs/${checkRun(run)}/checkpoints` };

/** The request that deletes a checkpoint, for a `WeightsServer` to send. */
export const planDeleteCheckpoint = (path: string | TinkerPath): RequestPlan => ({
  method: 'DELETE',
  path: checkpointRoute(toPath(path)),
});

export const planPublishCheckpoint = (path: string | TinkerPath): RequestPlan => ({
  method: 'POST',
  path: `${checkpointRoute(toPath(path))}/publish`,
});

export const planUnpublishCheckpoint = (path: string | TinkerPath): RequestPlan => ({
  method: 'DELETE',
  path: `${checkpointRoute(toPath(path))}/publish`,
});

/** `null` keeps the checkpoint until it is deleted. */
export function planSetCheckpointTtl(path: string | TinkerPath, ttlSeconds: number | null): RequestPlan {
  const { least, most } = TTL_SECONDS;
  if (ttlSeconds !== null && !(Number.isInteger(ttlSeconds) && ttlSeconds >= least && ttlSeconds <= most)) {
    const message = `A checkpoint lives ${least} to ${most} whole seconds, or null for ever; given was ${ttlSeconds}.`;
    throw new WeightsError({ reason: 'bad-setting', message });
  }
  return { method: 'PUT', path: `${checkpointRoute(toPath(path))}/ttl`, body: { ttl_seconds: ttlSeconds } };
}

/** Asks what saved weights are: their base model, rank and layers. */
export const planWeightsInfo = (path: string | TinkerPath): RequestPlan => ({
  method: 'POST',
  path: `${root}/weights_info`,
  body: { tinker_path: formatTinkerPath(toPath(path)) },
});

/** `bare` leaves the kind out: the only form in which SkyRL finds an archive, and always one of sampling weights. */
export function planArchive(path: string | TinkerPath, form: 'typed' | 'bare'): RequestPlan {
  const parsed = toPath(path);
  const route = form === 'typed' ? checkpointRoute(parsed) : checkpointRoute(parsed, parsed.name);
  return { method: 'GET', path: `${route}/archive` };
}

export const planExternalWeightsUrls = (path: string | TinkerPath): RequestPlan => ({
  method: 'GET',
  path: `${checkpointRoute(toPath(path))}/external_weights_urls`,
});
