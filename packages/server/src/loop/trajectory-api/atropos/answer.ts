import type { RouteCall } from '../../../platform/http/route.ts';
import { AtroposRefusal } from './read-body.ts';

/** Wraps a handler of the Atropos door so that refusals look as its clients know them. */
export function answerAsAtropos(handle: (call: RouteCall) => Promise<unknown>): (call: RouteCall) => Promise<unknown> {
  return async (call) => {
    try {
      return await handle(call);
    } catch (error) {
      if (!(error instanceof AtroposRefusal)) throw error;
      return typeof error.body === 'string'
        ? call.reply.code(error.status).type('text/plain; charset=utf-8').send(error.body)
        : call.reply.code(error.status).send(error.body);
    }
  };
}
