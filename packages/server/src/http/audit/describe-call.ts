import type { AuditEntry } from '@lachesis/store';
import type { RouteFacts } from '../route.ts';
import type { AuditedCall } from './audit-sink.ts';

/** How a call is written down; undefined for one that is not. */
export interface DescribedCall {
  entry: AuditEntry;
  /** A line of its own, or one of many alike. */
  isCounted: boolean;
}

/** What ids look like: everything else a path may hold is somebody's text. */
const ID = /^[\w.:@+~-]{1,128}$/;
const HIDDEN = '(hidden)';

/** Turns a call into an entry: who, what, on which thing, from where, with which result; nothing that was sent. */
export function describeCall(call: AuditedCall, { by, at }: { by: string; at: number }): DescribedCall | undefined {
  const { route, principal, status, code } = call;
  const isRefused = status >= 400;
  const way = route?.audit ?? (route === undefined ? 'none' : defaultWay(route));
  if (!isRefused && (way === 'none' || route === undefined)) return undefined;
  // A path that is not served, or a public one that went wrong, says nothing about anybody; a refusal of access does.
  if ((route === undefined || route.scope === 'public') && ![401, 403, 429].includes(status)) return undefined;
  const isCounted = isRefused || way === 'count';
  const things = principal === undefined ? {} : pickIds(call.things);
  const { run } = things;
  return {
    isCounted,
    entry: {
      at,
      tenantId: principal?.tenantId ?? '',
      action: route === undefined ? `${call.method} (not served)` : `${route.method} ${route.path}`,
      tokenId: principal?.tokenId ?? null,
      from: call.address,
      by,
      // Many alike have no single thing; the run is what tells them apart.
      things: isCounted ? (run === undefined ? {} : { run }) : things,
      result: isRefused ? (code ?? `http-${status}`) : 'ok',
      status,
      count: 1,
    },
  };
}

/** What moves rollouts, batches and completions comes hundreds of times a second. */
const DATA_PLANE: ReadonlySet<RouteFacts['scope']> = new Set(['env:push', 'trainer:pull', 'inference:call']);

function defaultWay({ scope, method }: RouteFacts): NonNullable<RouteFacts['audit']> {
  if (scope === 'public') return 'none';
  return method === 'GET' || DATA_PLANE.has(scope) ? 'count' : 'line';
}

function pickIds(things: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(things)) {
    // A key may stand in a path; a token never belongs into a log, wherever it was put.
    kept[name] = name !== 'key' && ID.test(value) && !value.includes('lch_') ? value : HIDDEN;
  }
  return kept;
}
