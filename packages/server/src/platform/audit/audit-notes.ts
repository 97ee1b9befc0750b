import type { FastifyRequest } from 'fastify';
import type { Principal } from '../access/principal.ts';
import { pathsOf, type Route } from '../http/route.ts';
import type { AuditSink } from './audit-sink.ts';

type Things = Readonly<Record<string, string>>;

/** What is gathered about a call on its way through the server. */
export interface AuditNotes {
  /** Who calls, also of those who may not. */
  caller(request: FastifyRequest, principal: Principal): void;
  /** What it is about, besides what its path names. */
  about(request: FastifyRequest, things: Things): void;
  /** How it ended. The first word counts; it does not wait for the reply to leave: whoever hangs up early is written down too. */
  end(request: FastifyRequest, status: number, code?: string): void;
}

export function createAuditNotes(routes: readonly Route[], sink: AuditSink | undefined): AuditNotes {
  const served = new Map(routes.flatMap((route) => pathsOf(route).map((path) => [`${route.method} ${path}`, route])));
  const callers = new WeakMap<FastifyRequest, Principal>();
  const concerned = new WeakMap<FastifyRequest, Things>();
  const ended = new WeakSet<FastifyRequest>();
  return {
    caller: (request, principal) => void callers.set(request, principal),
    about: (request, things) => void concerned.set(request, things),
    end(request, status, code) {
      if (sink === undefined || ended.has(request)) return;
      ended.add(request);
      const { method, ip: address } = request;
      sink.observe({
        method,
        route: served.get(`${method} ${request.routeOptions.url ?? ''}`),
        principal: callers.get(request),
        address,
        things: { ...(request.params as Things | undefined), ...concerned.get(request) },
        status,
        code,
      });
    },
  };
}
