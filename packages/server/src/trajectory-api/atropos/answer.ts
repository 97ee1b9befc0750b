import type { Route } from '../../http/route.ts';
import { AtroposRefusal } from './body-rules.ts';

/** A route of the Atropos API whose refusals look as its clients know them. */
export function answerAsAtropos(route: Route): Route {
  return {
    ...route,
    async handle(call) {
      try {
        return await route.handle(call);
      } catch (error) {
        if (!(error instanceof AtroposRefusal)) throw error;
        return typeof error.body === 'string'
          ? call.reply.code(error.status).type('text/plain; charset=utf-8').send(error.body)
          : call.reply.code(error.status).send(error.body);
      }
    },
  };
}
