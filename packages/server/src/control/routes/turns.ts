import { trajectoryReadSchemas } from '@lachesis/protocol';
import { encodeTurnTokens, TURN_TOKENS_CONTENT_TYPE } from '@lachesis/protocol/codec';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { readTurn, readTurnTokens, withoutTokens } from '../../services/library/read-turn.ts';
import type { RolloutDeps } from '../../services/runs/rollouts/rollout-deps.ts';
import type { LibraryDeps } from './library-deps.ts';
import { readTurnIndex } from './read-turn-index.ts';

/** Single turns of trajectories, and their tokens. */
export function createTurnRoutes({
  store,
  blobs,
  openTokenText,
}: Pick<LibraryDeps, 'blobs' | 'store'> & Pick<RolloutDeps, 'openTokenText'>): Route[] {
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
        const { trajectoryId, turn } = await readTurn({ ...scope, index: readTurnIndex(params.turn) });
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
        const tokens = await readTurnTokens({ ...scope, ...query, index: readTurnIndex(params.turn), openTokenText });
        return reply.type(TURN_TOKENS_CONTENT_TYPE).send(Buffer.from(encodeTurnTokens(tokens).buffer));
      },
    }),
  ];
}
