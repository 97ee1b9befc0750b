import type { Store } from '../database/store.ts';
import { readSettings, writeSettings } from '../settings/settings.ts';

/** What may be let go of by its age; what is no longer `hot` leaves the database for Parquet files among the payloads. */
export const KEPT_KINDS = ['payloads', 'history', 'events', 'keys', 'records', 'hot'] as const;

export type KeptKind = (typeof KEPT_KINDS)[number];

/** Days that each is kept; null keeps all of it, and what is not named is kept as the rule above says. */
export type KeepPolicy = Partial<Record<KeptKind, number | null>>;

const NAMES: Record<KeptKind, string> = {
  payloads: 'keep-payload-days',
  history: 'keep-history-days',
  events: 'keep-event-days',
  keys: 'keep-key-days',
  records: 'keep-record-days',
  hot: 'keep-hot-days',
};

/** Of the policy of all runs of a tenant that have none of their own. */
const EVERY_RUN = 'runs';

/** Whose policy it is: of one run, or without one of all runs of the tenant. */
export interface KeepScope {
  store: Store;
  tenantId: string;
  runId?: string | undefined;
}

const scopeOf = (runId: string | undefined): string => (runId === undefined ? EVERY_RUN : `run:${runId}`);

/** Says how long something is kept from now on; what is not named stays as it was. Days below 0 would let go of what is not there yet: refused. */
export async function writeKeepPolicy(options: KeepScope & { policy: KeepPolicy }): Promise<void> {
  const { store, tenantId, runId, policy } = options;
  for (const [kind, days] of Object.entries(policy)) {
    if (days !== null && !isDays(days)) throw new RangeError(`${kind} cannot be kept for ${String(days)} days`);
  }
  const settings = KEPT_KINDS.flatMap((kind) =>
    policy[kind] === undefined ? [] : [{ name: NAMES[kind], value: policy[kind], origin: 'gc' }],
  );
  await writeSettings({ store, tenantId, scope: scopeOf(runId), settings });
}

/** What was said of one run, or of all. */
export async function readKeepPolicy({ store, tenantId, runId }: KeepScope): Promise<KeepPolicy> {
  const settings = await readSettings({ store, tenantId, scope: scopeOf(runId) });
  return toPolicy(settings.map(({ name, value }) => [name, value]));
}

/** A policy that somebody has written. */
export interface WrittenPolicy {
  tenantId: string;
  /** Without one it is of all runs. */
  runId: string | undefined;
  policy: KeepPolicy;
}

/** Every policy that was written, those of all runs first. */
export async function listKeepPolicies(store: Pick<Store, 'db'>): Promise<WrittenPolicy[]> {
  const rows = await store.db
    .selectFrom('settings')
    .select(['tenant_id', 'scope', 'name', 'value'])
    .where('name', 'in', Object.values(NAMES))
    .orderBy('tenant_id')
    .orderBy('scope')
    .execute();
  const found = [...Map.groupBy(rows, (row) => `${row.tenant_id}\n${row.scope}`).values()].map((of) => ({
    tenantId: of[0]!.tenant_id,
    runId: of[0]!.scope === EVERY_RUN ? undefined : of[0]!.scope.slice('run:'.length),
    policy: toPolicy(of.map(({ name, value }) => [name, JSON.parse(value) as unknown])),
  }));
  return found.sort((one, other) => Number(one.runId !== undefined) - Number(other.runId !== undefined));
}

/**
 * What holds for a run: its own policy before that of all runs. Without its rows a payload is never found again, so payloads
 * go with the history at the latest.
 */
export function mergePolicies(own: KeepPolicy, ofAll: KeepPolicy): Record<KeptKind, number | null> {
  const merged = Object.fromEntries(KEPT_KINDS.map((kind) => [kind, pick(own[kind], ofAll[kind])])) as Record<
    KeptKind,
    number | null
  >;
  const { payloads, history } = merged;
  return { ...merged, payloads: history === null ? payloads : Math.min(payloads ?? history, history) };
}

const isDays = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const pick = (own: number | null | undefined, ofAll: number | null | undefined): number | null =>
  own === undefined ? (ofAll ?? null) : own;

function toPolicy(settings: readonly (readonly [string, unknown])[]): KeepPolicy {
  const said = new Map(settings);
  return Object.fromEntries(
    KEPT_KINDS.flatMap((kind) => {
      const days = said.get(NAMES[kind]);
      return days === null || isDays(days) ? [[kind, days]] : [];
    }),
  );
}
