import type { FastifyReply } from 'fastify';
import { channel } from 'node:diagnostics_channel';
import type { z } from 'zod';
import { readParameters, readQuery } from './read-query.ts';
import {
  DEFINED,
  JSON_TYPE,
  type HandSentReply,
  type Route,
  type RouteBody,
  type RouteCall,
  type RouteFacts,
} from './route.ts';

type ParameterNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParameterNames<Tail>
    : Rest
  : never;

/** What a handler is given: the call, and its parts as the definition describes them. */
export type DefinedCall<Path extends string, Query, Body> = RouteCall & {
  /** By the names in the path. */
  params: Record<ParameterNames<Path>, string>;
  query: Query extends z.ZodObject ? z.output<Query> : undefined;
  body: Body extends RouteBody<infer T> ? T : undefined;
};

export interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject | undefined,
  Body extends RouteBody | undefined,
  Answer,
> extends RouteFacts<Path> {
  /** Whether the route exists per run, under `/run/:run` too; no when left out. */
  perRun?: boolean;
  /** Left out, the query is not looked at. */
  query?: Query;
  /** Left out, a body is read and not looked at. */
  body?: Body;
  /** A schema for JSON; `sentByHand` for everything else. */
  reply: z.ZodType<unknown, Answer> | HandSentReply<Answer>;
  handle(call: DefinedCall<Path, Query, Body>): Promise<NoInfer<Answer>>;
}

/** What is told on `ROUTE_ANSWERS`. */
export interface RouteAnswer {
  route: Route;
  status: number;
  answer: unknown;
}

/** Where the answers of all routes are told before they are sent. Tests listen, and hold each against its schema. */
export const ROUTE_ANSWERS = 'lachesis:route-answer';

const answers = channel(ROUTE_ANSWERS);

/**
 * A route whose document and handler are one: parameters, query and body are checked by the schemas that the document
 * shows before the handler runs, and the compiler holds what it answers against the reply's.
 */
export function defineRoute<
  const Path extends string,
  Query extends z.ZodObject | undefined = undefined,
  Body extends RouteBody | undefined = undefined,
  Answer = unknown,
>(definition: RouteDefinition<Path, Query, Body, Answer>): Route {
  const { perRun = false, query, body, reply, handle, ...facts } = definition;
  const route: Route = {
    ...facts,
    [DEFINED]: true,
    perRun,
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    reply: 'contentType' in reply ? reply : { contentType: JSON_TYPE, schema: reply },
    async handle(call) {
      const given = {
        params: readParameters(call.request, facts.path),
        query: query === undefined ? undefined : readQuery(call.request, query),
        body: await body?.read(call),
      };
      // The parts were made by the schemas that their types are inferred from.
      const answer = await handle({ ...call, ...given } as DefinedCall<Path, Query, Body>);
      if (answers.hasSubscribers && answer !== call.reply) {
        answers.publish({ route, status: call.reply.statusCode, answer } satisfies RouteAnswer);
      }
      return answer;
    },
  };
  return route;
}

/** The handler writes the reply; the schema, where there is one, is that of the data of each event or line. */
export const sentByHand = (contentType: string, schema?: z.ZodType): HandSentReply<FastifyReply | undefined> => ({
  contentType,
  ...(schema === undefined ? {} : { schema }),
});

/** JSON as the schema says, which the handler returns, or sends itself where the caller asked for a stream of it. */
export const jsonOrByHand = <S extends z.ZodType>(schema: S): HandSentReply<FastifyReply | z.input<S> | undefined> => ({
  contentType: JSON_TYPE,
  schema,
});
