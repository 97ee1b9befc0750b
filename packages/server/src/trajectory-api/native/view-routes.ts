import { LachesisError, ledgerSchema, quarantineListSchema } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { isId } from './is-id.ts';
import { streamRun } from './stream-events.ts';

type QuarantineList = z.infer<typeof quarantineListSchema>;

const QUARANTINE_PAGE = 200;

/** What people and dashboards read. */
export function createViewRoutes(deps: TrajectoryApiDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/ledger',
      scope: 'view',
      perRun: true,
      summary: 'Where every accepted group of the run is now; `balanced` says that none is missing.',
      reply: ledgerSchema,
      handle: (call) => deps.ask(call, 'ledger', {}),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/events',
      scope: 'view',
      perRun: true,
      summary:
        'The run as a stream of server-sent events, from `after` or Last-Event-ID on; `follow=0` ends at the last.',
      query: z.object({ after: z.string().optional(), follow: z.string().optional() }),
      reply: sentByHand('text/event-stream'),
      handle: (call) => streamRun(deps, call, call.query),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/quarantine',
      scope: 'view',
      perRun: true,
      summary: 'Groups that were set aside, newest first, each with its reason.',
      query: z.object({ cursor: z.string().optional() }),
      reply: quarantineListSchema,
      handle: (call) => listQuarantine(deps, call, call.query.cursor),
    }),
  ];
}

async function listQuarantine(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  cursor: string | undefined,
): Promise<QuarantineList> {
  const { tenantId } = call.principal;
  const { incarnationId } = await deps.ask(call, 'ids', {});
  if (cursor !== undefined && !isId(cursor)) {
    throw new LachesisError({
      code: 'invalid',
      message: 'the cursor is not one that this list gave',
      hint: 'Send next_cursor of the page before, or none for the first page.',
    });
  }
  let query = deps.store.db
    .selectFrom('group_fates')
    .innerJoin('groups', (join) =>
      join
        .onRef('groups.tenant_id', '=', 'group_fates.tenant_id')
        .onRef('groups.group_id', '=', 'group_fates.group_id'),
    )
    .select([
      'group_fates.group_id',
      'group_fates.reason',
      'at',
      'batch_id',
      'env_ordinal',
      'sequence_count',
      'token_count',
      'payload_digest',
      'payload_bytes',
    ])
    .where('group_fates.tenant_id', '=', tenantId)
    .where('group_fates.incarnation_id', '=', incarnationId)
    .where('fate', '=', 'quarantined')
    .orderBy('group_fates.group_id', 'desc')
    .limit(QUARANTINE_PAGE);
  if (cursor !== undefined) query = query.where('group_fates.group_id', '<', cursor);
  const rows = await query.execute();
  return {
    groups: rows.map((row) => ({
      group_id: row.group_id,
      reason: row.reason ?? '',
      at: row.at,
      batch_id: row.batch_id,
      env_id: row.env_ordinal,
      sequence_count: row.sequence_count,
      token_count: row.token_count,
      digest: row.payload_digest,
      bytes: row.payload_bytes,
    })),
    next_cursor: rows.length < QUARANTINE_PAGE ? null : (rows.at(-1)?.group_id ?? null),
  };
}
