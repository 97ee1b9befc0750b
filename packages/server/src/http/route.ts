import type { Scope } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Principal } from './access/principal.ts';
import type { ReadJsonOptions } from './json/json-reader.ts';

/** What a route asks of its caller: a scope, or nothing because it tells nothing about a run. */
export type RouteScope = Scope | 'public';

export interface RouteCall {
  request: FastifyRequest;
  reply: FastifyReply;
  principal: Principal;
  /** The run named in the path, or the default one. */
  runName: string;
  /** The JSON of the body, bounded in nesting and number of values; throws what the caller is to read. */
  readJson(options?: ReadJsonOptions): Promise<unknown>;
  /** Gives the body's share of the memory budget back before the reply is sent. */
  releaseBody(): void;
  /** Names what the call was about, for the audit log, where its path does not: ids, never what was sent. */
  about(things: Readonly<Record<string, string>>): void;
}

/** What a route takes as a body, and how it is read; `jsonBody` and its neighbours make them. */
export interface RouteBody<T = unknown> {
  contentType: string;
  /** As the document shows it. */
  schema?: z.ZodType;
  /** The body, checked; throws what the caller is to read. */
  read(call: RouteCall): Promise<T>;
}

/** A reply that the handler writes itself: a stream, bytes, text. Its schema is for the document. */
export interface HandSentReply<Answer = unknown> {
  contentType: string;
  schema?: z.ZodType;
  /** For the compiler alone: what the handler may return. */
  readonly answer?: Answer;
}

/** What a route is, whatever it takes and answers. */
export interface RouteFacts<Path extends string = string> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Fastify path, without the `/run/:run` prefix. */
  path: Path;
  scope: RouteScope;
  summary: string;
  /** Of a path like `/runs/:id`: the parameter that names the run it is about. */
  runParameter?: string;
  /**
   * How the audit log writes it down: each call a line, or how often in a minute. Left out: a line for what changes
   * something, a count for what is read and for what moves rollouts and completions, nothing for what is public. `none` is for what is asked all the time and holds no
   * content. Refusals are counted always.
   */
  audit?: 'line' | 'count' | 'none';
  /** Most bytes of a body; `DEFAULT_BODY_BYTES` when left out. The server's own bound holds for every route. */
  maxBodyBytes?: number;
}

/** For `defineRoute` alone. */
export const DEFINED: unique symbol = Symbol('made by defineRoute');

/**
 * One route of a server. The list of routes is the server: permissions, OpenAPI and tests are made from it. Only
 * `defineRoute` makes one, so that what the document says of it is what its handler takes and answers.
 */
export interface Route extends RouteFacts {
  readonly [DEFINED]: true;
  /** Whether the route exists per run, under `/run/:run` too. */
  perRun: boolean;
  query?: z.ZodObject;
  body?: Pick<RouteBody, 'contentType' | 'schema'>;
  reply: { contentType: string; schema?: z.ZodType };
  handle(call: RouteCall): Promise<unknown>;
}

export const JSON_TYPE = 'application/json';

/** Settings, names and lists of ids are a few hundred bytes; what is larger has a route that says so. */
export const DEFAULT_BODY_BYTES = 64 * 1024;

/** For routes that take what people and models wrote: only the server's own bound holds. */
export const LARGE_BODY = Number.POSITIVE_INFINITY;

/** Every path a route stands under. */
export function pathsOf(route: Pick<Route, 'path' | 'perRun'>): string[] {
  return route.perRun ? [route.path, `/run/:run${route.path === '/' ? '' : route.path}`] : [route.path];
}
