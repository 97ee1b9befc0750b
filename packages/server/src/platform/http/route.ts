import type { Scope } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ZodType } from 'zod';
import type { Principal } from '../access/principal.ts';

/** What a route asks of its caller: a scope, or nothing because it tells nothing about a run. */
export type RouteScope = Scope | 'public';

export interface RouteCall {
  request: FastifyRequest;
  reply: FastifyReply;
  principal: Principal;
  /** The run named in the path, or the default one. */
  runName: string;
  /** Gives the body's share of the memory budget back before the reply is sent. */
  releaseBody(): void;
}

/** One door of a server. The list of routes is the server: permissions, OpenAPI and tests are made from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Fastify path, without the `/run/:run` prefix. */
  path: string;
  scope: RouteScope;
  summary: string;
  /** Whether the route exists per run, under `/run/:run` too. */
  perRun: boolean;
  /** For the OpenAPI document; the handler does its own checking with the same schemas. */
  query?: ZodType;
  body?: { contentType: string; schema?: ZodType };
  response?: { contentType: string; schema?: ZodType };
  handle(call: RouteCall): Promise<unknown>;
}

export const DEFAULT_RUN = 'default';

/** Every path a route stands under. */
export function pathsOf(route: Pick<Route, 'path' | 'perRun'>): string[] {
  return route.perRun ? [route.path, `/run/:run${route.path === '/' ? '' : route.path}`] : [route.path];
}
