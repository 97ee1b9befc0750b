import { LachesisError, rerollSchemas, trajectoryReadSchemas } from '@lachesis/protocol';
import { encodeTurnTokens, TURN_TOKENS_CONTENT_TYPE } from '@lachesis/protocol/codec';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import { readTurn, readTurnTokens, withoutTokens } from '../../services/library/read-turn.ts';
import { rerollTurn, type RerollTurnOptions } from '../../services/library/reroll-turn.ts';
import type { RolloutDeps } from '../../services/runs/rollouts/rollout-deps.ts';
import { sendLines } from '../streams/lines.ts';
import type { LibraryDeps } from './library-deps.ts';

/** What single turns are read, spelt and sampled again with: the last on the engine of this server. */
export type TurnRouteDeps = LibraryDeps & Pick<RerollTurnOptions, 'findEngine'> & Pick<RolloutDeps, 'openTokenText'>;

/** Single turns of trajectories, their tokens, and another reply to one. */
export function createTurnRoutes({ openTokenText, findEngine, ...parts }: TurnRouteDeps): Route[] {
  const { store, blobs } = parts;
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/trajectories/:id/turns/:turn',
      scope: 'view',
      summary: 'One turn of a trajectory, without its tokens unless they are asked for.',
      query: trajectoryReadSchemas.turnQuery,
      reply: trajectoryReadSchemas.turn,
      handle: async ({ principal: { tenantId }, params, query }) => {
        const scope = { store, blobs, tenantId, ref: params.id };
        const { trajectoryId, turn } = await readTurn({ ...scope, index: readIndex(params.turn) });
        return { trajectory_id: trajectoryId, turn: query.tokens === 'none' ? withoutTokens(turn) : turn };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trajectories/:id/turns/:turn/tokens',
      scope: 'view',
      summary:
        'The tokens of a reply, packed: ids, log probabilities, what was sampled, and the bytes that each stands for.',
      query: trajectoryReadSchemas.tokensQuery,
      reply: sentByHand(TURN_TOKENS_CONTENT_TYPE),
      handle: async ({ principal: { tenantId }, params, query, reply }) => {
        const scope = { store, blobs, tenantId, ref: params.id };
        const tokens = await readTurnTokens({ ...scope, ...query, index: readIndex(params.turn), openTokenText });
        return reply.type(TURN_TOKENS_CONTENT_TYPE).send(Buffer.from(encodeTurnTokens(tokens).buffer));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trajectories/:id/turns/:turn/reroll',
      // As every sample on the engine of the server; it may also read what it goes on from.
      scope: 'run:admin',
      summary:
        'Another reply to a turn, sampled from its exact tokens by the model that serves, and recorded: one JSON object a line as it comes, the last one `{"done":true}`.',
      body: jsonBody(rerollSchemas.ask),
      reply: sentByHand('application/x-ndjson', rerollSchemas.line),
      handle: async ({ principal: { tenantId }, params, body: ask, about, ...call }) => {
        const scope = { store, blobs, tenantId, ref: params.id, index: readIndex(params.turn) };
        about({ trajectory: params.id, turn: params.turn });
        return await sendLines(call, (signal) => rerollTurn({ ...scope, ask, parts, findEngine, signal }));
      },
    }),
  ];
}

function readIndex(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new LachesisError({
    code: 'invalid',
    message: `${JSON.stringify(text.slice(0, 100))} is not the number of a turn`,
    hint: 'The first is 0; GET /v1/trajectories/{id} has all of them.',
  });
}
