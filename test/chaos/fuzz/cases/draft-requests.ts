import { PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';

import type { Random } from '../../simulation/random.ts';
import { composeEnvironment, composeGroup, composePacked, composeRegistration } from './compose-bodies.ts';
import type { Draft } from './draft.ts';
import { pickNumberText, pickText } from './hostile-values.ts';
import type { HeldBatch, Memory } from './memory.ts';
import { RUNS } from './memory.ts';
import { writeNoisyJson } from './write-noisy-json.ts';
import type { Json } from './write-noisy-json.ts';

interface Sources {
  readonly random: Random;
  readonly batch: HeldBatch | undefined;
}

interface RoutePlan {
  /** How often, beside the others. */
  readonly weight: number;
  /** It belongs to the server and not to a run; under `/run` there is nothing. */
  readonly isOfServer?: boolean;
  body?(sources: Sources): Json | Buffer;
  query?(sources: Sources): string;
}

/** Allowed by the schemas, and past the edge of one kind of integer or another. */
const LARGE_NUMBERS = [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1];

const ENV_ID: RoutePlan = { weight: 2, body: ({ random }) => ({ env_id: random.pick([0, 0, 1, -1, 99]) }) };
const READ: RoutePlan = { weight: 1 };
const OF_SERVER: RoutePlan = { weight: 0.3, isOfServer: true };

/** What an honest client sends to each route. A route that is not here fails the show, so none is forgotten. */
export const ROUTE_PLANS: Readonly<Record<string, RoutePlan>> = {
  'GET /': READ,
  'GET /wandb_info': READ,
  'GET /info': READ,
  'GET /status': READ,
  'GET /status-env': ENV_ID,
  'GET /latest_example': READ,
  'GET /health': OF_SERVER,
  'GET /metrics': OF_SERVER,
  'GET /openapi.json': OF_SERVER,
  'POST /register': { weight: 2, body: ({ random }) => composeRegistration(random) },
  'POST /register-env': { weight: 2, body: ({ random }) => composeEnvironment(random) },
  'POST /disconnect-env': { ...ENV_ID, weight: 1 },
  'GET /reset_data': { weight: 0.1 },
  'POST /scored_data': { weight: 5, body: ({ random }) => composeGroup(random) },
  'POST /scored_data_list': {
    weight: 3,
    body: ({ random }) => Array.from({ length: random.below(4) }, () => composeGroup(random)),
  },
  'GET /batch': { weight: 1 },
  'POST /v1/groups': { weight: 6, body: ({ random }) => composePacked(random) },
  'PUT /v1/registration': {
    weight: 1,
    body: ({ random }) => ({
      batch_size: random.pick([4, 4, 2]),
      num_steps: pickCount(random),
      max_staleness: pickCount(random),
    }),
  },
  'POST /v1/batches': { weight: 4, body: () => ({ wait_seconds: 0, lease_seconds: 30, consumer: 'fuzz' }) },
  'GET /v1/batches/{batch}/groups': {
    weight: 2,
    query: (sources) => `epoch=${sources.random.chance(0.2) ? pickNumberText(sources.random) : pickEpoch(sources)}`,
  },
  'POST /v1/batches/{batch}/renew': {
    weight: 2,
    body: (sources) => ({ epoch: pickEpoch(sources), lease_seconds: 20 }),
  },
  'POST /v1/batches/{batch}/ack': {
    weight: 2,
    body: (sources) => ({ epoch: pickEpoch(sources), step: pickCount(sources.random) }),
  },
  'POST /v1/batches/{batch}/nack': {
    weight: 2,
    body: (sources) => ({
      epoch: pickEpoch(sources),
      reason: sources.random.chance(0.5) ? pickText(sources.random) : 'fuzz',
      ...(sources.random.chance(0.5) ? { group_ids: [...(sources.batch?.groupIds ?? [])] } : {}),
    }),
  },
  'GET /v1/ledger': READ,
  'GET /v1/events': {
    weight: 1,
    query: ({ random }) => `follow=0&after=${random.chance(0.3) ? pickNumberText(random) : random.below(2_000)}`,
  },
  'GET /v1/quarantine': {
    weight: 1,
    query: ({ random }) => (random.chance(0.5) ? `cursor=${encodeURIComponent(pickText(random).toWellFormed())}` : ''),
  },
};

const WEIGHTED = Object.entries(ROUTE_PLANS).flatMap(([route, { weight }]) =>
  Array.from({ length: Math.round(weight * 10) }, () => route),
);

export interface RequestDraft extends Draft {
  readonly route: string;
  readonly run: string;
}

/** A request to one of the routes; its body is honest about half of the time. */
export function draftRequest(random: Random, memory: Memory): RequestDraft {
  const route = random.pick(WEIGHTED);
  const plan = ROUTE_PLANS[route];
  const [method = '', template = ''] = route.split(' ');
  const batch = template.includes('{batch}') ? memory.pickBatch(random) : undefined;
  const run = pickRun(random, { batch, isOfServer: plan?.isOfServer === true });
  const sources = { random, batch };
  const query = plan?.query?.(sources) ?? '';
  const path = `${run === '' ? '' : `/run/${run}`}${template.replace('{batch}', nameBatch(sources))}`;
  const value = plan?.body?.(sources);
  const draft: RequestDraft = {
    route,
    run,
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: [['host', '127.0.0.1']],
    body: null,
  };
  if (value === undefined) return draft;
  if (value instanceof Uint8Array) {
    draft.body = value;
    draft.headers.push(['content-type', PACKED_GROUP_CONTENT_TYPE], ['idempotency-key', pickKey(random)]);
  } else {
    const faults = random.pick([0, 0, 0, 0.7, 1, 2]);
    draft.body = Buffer.from(writeNoisyJson(value, { random, faults }));
    draft.headers.push(['content-type', 'application/json']);
  }
  return draft;
}

/** Where the request belongs, and now and then elsewhere. */
function pickRun(random: Random, options: { batch: HeldBatch | undefined; isOfServer: boolean }): string {
  if (random.chance(0.05)) return random.pick(RUNS);
  if (options.isOfServer) return '';
  return options.batch?.run ?? random.pick(RUNS);
}

/** The one under which the batch was leased, an older one, or one that no counter should meet. */
function pickEpoch({ random, batch }: Sources): number {
  const held = batch?.epoch ?? 1;
  return random.chance(0.75) ? held : random.pick([0, held - 1, held + 1, ...LARGE_NUMBERS]);
}

function pickCount(random: Random): number {
  return random.chance(0.75) ? 3 : random.pick(LARGE_NUMBERS);
}

function nameBatch({ random, batch }: Sources): string {
  if (batch !== undefined && random.chance(0.9)) return batch.batchId;
  return encodeURIComponent(pickText(random).toWellFormed()) || '-';
}

/** Mostly a fresh one, sometimes one used before, sometimes an odd one; header values are Latin-1 on the wire. */
function pickKey(random: Random): string {
  if (random.chance(0.1)) return `seen-${random.below(20)}`;
  if (random.chance(0.25)) return pickText(random).replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');
  return `key-${random.next()}`;
}
