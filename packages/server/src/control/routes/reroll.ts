import { rerollSchemas } from '@lachesis/protocol';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import { rerollTurn, type RerollTurnOptions } from '../../services/library/reroll-turn.ts';
import { sendLines } from '../streams/lines.ts';
import type { LibraryDeps } from './library-deps.ts';
import { readTurnIndex } from './read-turn-index.ts';

/** The engine of this server. */
export type RerollRouteDeps = Pick<RerollTurnOptions, 'findEngine'>;

/** Another reply to a turn. Like every sample on the engine of the server it asks for `run:admin`, which may also read. */
export function createRerollRoute({ findEngine, ...parts }: LibraryDeps & RerollRouteDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/trajectories/:id/turns/:turn/reroll',
    scope: 'run:admin',
    summary:
      'Another reply to a turn, sampled from its exact tokens by the model that serves, and recorded: one JSON object a line as it comes, the last one `{"done":true}`.',
    body: jsonBody(rerollSchemas.ask),
    reply: sentByHand('application/x-ndjson', rerollSchemas.line),
    handle: async ({ principal: { tenantId }, params, body: ask, about, ...call }) => {
      const index = readTurnIndex(params.turn);
      about({ trajectory: params.id, turn: params.turn });
      const scope = { store: parts.store, blobs: parts.blobs, tenantId, ref: params.id };
      return await sendLines(call, (signal) => rerollTurn({ ...scope, index, ask, parts, findEngine, signal }));
    },
  });
}
