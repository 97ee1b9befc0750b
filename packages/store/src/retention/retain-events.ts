import type { JsonValue } from '../events/canonical-json.ts';
import { FIRST_PREVIOUS_HASH } from '../events/chain-event.ts';
import type { ChainLink } from '../events/verify-chain.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { planSetting, readSettings } from '../settings/settings.ts';
import type { Store } from '../database/store.ts';
import type { AgedRun } from './aged-run.ts';

const PORTION = 2_000;

/** Of the setting that says after which event the chain of a run begins. */
const BEGIN = 'events-begin';

/** The last event that a run let go of: what is left is verified from there. */
export async function readEventsBegin(options: { store: Store; tenantId: string; runId: string }): Promise<ChainLink> {
  const settings = await readSettings({ ...options, scope: `run:${options.runId}` });
  const value = settings.find(({ name }) => name === BEGIN)?.value;
  return isLink(value) ? { cursor: value.cursor, hash: value.hash } : { cursor: 0, hash: FIRST_PREVIOUS_HASH };
}

/**
 * Lets go of the oldest events of a run, up to the first that is younger. The newest stays: the next one names it. Each
 * portion goes in one commit with where the chain then begins.
 */
export async function retainEvents(options: AgedRun): Promise<{ events: number }> {
  const { store, tenantId, runId, olderThan, isDryRun } = options;
  let begin = await readEventsBegin(options);
  let events = 0;
  for (;;) {
    const rows = await store.db
      .selectFrom('events')
      .select(['cursor', 'at', 'hash'])
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .where('cursor', '>', begin.cursor)
      .orderBy('cursor')
      .limit(PORTION + 1)
      .execute();
    const younger = rows.findIndex((row) => row.at >= olderThan);
    const old = rows.slice(0, younger === -1 ? rows.length - 1 : Math.min(younger, rows.length - 1));
    const last = old.at(-1);
    if (last === undefined) return { events };
    const link = { cursor: last.cursor, hash: last.hash };
    if (!isDryRun) {
      const drop = store.db
        .deleteFrom('events')
        .where('tenant_id', '=', tenantId)
        .where('run_id', '=', runId)
        .where('cursor', '<=', link.cursor)
        .where('cursor', '>', begin.cursor);
      const said = { name: BEGIN, value: link, origin: 'gc' };
      // A count that does not fit means that events are missing already: then nothing is covered up by letting go of more.
      const statements = [
        { query: drop.compile(), expectRows: link.cursor - begin.cursor },
        planSetting({ store, tenantId, scope: `run:${runId}` }, said),
      ];
      try {
        await store.commit({ statements });
      } catch (error) {
        if (!StaleWriteError.isInstance(error)) throw error;
        const { cursor } = begin;
        begin = await readEventsBegin(options);
        if (begin.cursor === cursor) throw error;
        // Another collector has let go of some of them: the rest is looked at from there.
        continue;
      }
    }
    events += old.length;
    begin = link;
  }
}

const isLink = (value: JsonValue | undefined): value is { cursor: number; hash: string } =>
  typeof value === 'object' && value !== null && 'cursor' in value && 'hash' in value;
