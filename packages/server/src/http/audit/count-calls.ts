import type { AuditEntry } from '@lachesis/store';

interface Counted {
  entry: AuditEntry;
  count: number;
  lastAt: number;
}

/** Kinds of calls told apart within a minute: whoever varies what is asked fills no disk. */
const MOST_KINDS = 1_000;

/** Calls that are alike, counted until somebody asks: by tenant, token, address, action, run and result. */
export class CallCounter {
  readonly #kinds = new Map<string, Counted>();

  /** How many calls of this kind there are now; the first is 1. */
  count(entry: AuditEntry): number {
    const own = keyOf(entry);
    const isKnown = this.#kinds.has(own) || this.#kinds.size < MOST_KINDS;
    const kept = isKnown ? entry : summarise(entry);
    const key = isKnown ? own : keyOf(kept);
    const counted = this.#kinds.get(key);
    if (counted === undefined) {
      this.#kinds.set(key, { entry: kept, count: 1, lastAt: entry.at });
      return 1;
    }
    counted.count += 1;
    counted.lastAt = entry.at;
    return counted.count;
  }

  /** What was counted, as entries, and begins anew. Of refusals the first was written down when it happened. */
  take(): AuditEntry[] {
    const entries: AuditEntry[] = [];
    for (const { entry, count, lastAt } of this.#kinds.values()) {
      const more = entry.result === 'ok' ? count : count - 1;
      if (more > 0) entries.push({ ...entry, count: more, until: lastAt });
    }
    this.#kinds.clear();
    return entries;
  }
}

function keyOf({ tenantId, tokenId, from, action, things, result }: AuditEntry): string {
  return JSON.stringify([tenantId, tokenId, from, action, things['run'], result]);
}

/** Past the bound only the result is told apart. */
function summarise(entry: AuditEntry): AuditEntry {
  return { ...entry, tenantId: '', tokenId: null, from: '(many)', action: '(many)', things: {} };
}
