import type { FastifyRequest } from 'fastify';
import type { Principal } from '../access/principal.ts';
import { pathsOf, type Route } from '../route.ts';
import type { AuditSink } from './audit-sink.ts';

type Things = Readonly<Record<string, string>>;

/** What is gathered about a call on its way through the server. */
export interface AuditNotes {
  /** Who calls, also of those who may not, and from where: a caller who has hung up has no address any more. */
  caller(request: FastifyRequest, principal: Principal): void;
  /** What it is about, besides what its path names. */
  about(request: FastifyRequest, things: Things): void;
  /** How it ended. The first word counts; it does not wait for the reply to leave: whoever hangs up early is written down too. */
  end(request: FastifyRequest, status: number, code?: string): void;
}

/** Stands for an address that nobody asked for in time. */
const GONE = '(gone)';

/** Absent once the connection is closed, whatever the type says. */
const addressOf = ({ ip }: FastifyRequest): string | undefined => ip;

export function createAuditNotes(routes: readonly Route[], sink: AuditSink | undefined): AuditNotes {
  const served = new Map(routes.flatMap((route) => pathsOf(route).map((path) => [`${route.method} ${path}`, route])));
  const callers = new WeakMap<FastifyRequest, Principal>();
  const addresses = new WeakMap<FastifyRequest, string>();
  const concerned = new WeakMap<FastifyRequest, Things>();
  const ended = new WeakSet<FastifyRequest>();
  return {
    caller(request, principal) {
      callers.set(request, principal);
      const address = addressOf(request);
      if (address !== undefined) addresses.set(request, address);
    },
    about: (request, things) => void concerned.set(request, things),
    end(request, status, code) {
      if (sink === undefined || ended.has(request)) return;
      ended.add(request);
      const { method } = request;
      sink.observe({
        method,
        route: served.get(`${method} ${request.routeOptions.url ?? ''}`),
        principal: callers.get(request),
        address: addresses.get(request) ?? addressOf(request) ?? GONE,
        things: { ...(request.params as Things | undefined), ...concerned.get(request) },
        status,
        code,
      });
    },
  };
}
