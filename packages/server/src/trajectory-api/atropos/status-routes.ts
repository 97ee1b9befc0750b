import type { z } from 'zod';
import {
  environmentIdentifierSchema,
  environmentStatusReplySchema,
  infoReplySchema,
  rootReplySchema,
  statusReplySchema,
  wandbInfoReplySchema,
} from '@lachesis/protocol';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { bytesOf, jsonBody, type BodyRules } from '../../http/read-body.ts';
import { JSON_TYPE, type Route } from '../../http/route.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { answerAsAtropos } from './answer.ts';
import { ATROPOS_BODY, AtroposRefusal } from './body-rules.ts';

type RootReply = z.infer<typeof rootReplySchema>;

/** What environments and trainers read about a run. */
export function createStatusRoutes(deps: TrajectoryApiDeps): Route[] {
  const { ask, settings } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      scope: 'public',
      perRun: true,
      summary: 'Say who answers here.',
      reply: rootReplySchema,
      handle: async (): Promise<RootReply> => ({ message: 'AtroposLib API' }),
    }),
    defineRoute({
      method: 'GET',
      path: '/wandb_info',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'The metrics group and project the trainer registered.',
      reply: wandbInfoReplySchema,
      handle: (call) => ask(call, 'wandbInfo', {}),
    }),
    defineRoute({
      method: 'GET',
      path: '/info',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'Batch size and longest sequence, -1 while unknown.',
      reply: infoReplySchema,
      handle: (call) => ask(call, 'info', {}),
    }),
    defineRoute({
      method: 'GET',
      path: '/status',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'Current step and groups waiting.',
      reply: statusReplySchema,
      handle: (call) => ask(call, 'status', {}),
    }),
    answerAsAtropos(
      defineRoute({
        method: 'GET',
        path: '/status-env',
        scope: 'run:status',
        audit: 'none',
        perRun: true,
        summary: 'What one environment needs to pace itself. The env_id comes as a JSON body, or as a query.',
        body: jsonBody(environmentIdentifierSchema, settings.strictAtropos ? ATROPOS_BODY : BODY_OR_QUERY),
        reply: sentByHand(JSON_TYPE, environmentStatusReplySchema),
        handle: async (call) => {
          const { env_id: envId } = call.body;
          const json = await ask(call, 'environmentStatus', { envId });
          if (json === null) {
            if (settings.strictAtropos) throw new AtroposRefusal(500, 'Internal Server Error');
            throw new AtroposRefusal(
              404,
              `there is no environment ${envId} in this run; register it with /register-env`,
            );
          }
          return call.reply.type(JSON_TYPE).send(json);
        },
      }),
    ),
  ];
}

/** `fetch` sends no body with a GET: our own environments send the number as a query. */
const BODY_OR_QUERY: BodyRules = {
  ...ATROPOS_BODY,
  async prepare(request) {
    const { env_id: envId } = request.query as { env_id?: unknown };
    const isAsked = bytesOf(request).length === 0 && typeof envId === 'string' && /^\d{1,9}$/.test(envId);
    if (isAsked) return Buffer.from(JSON.stringify({ env_id: Number(envId) }));
    return (await ATROPOS_BODY.prepare?.(request)) ?? bytesOf(request);
  },
};
