import { hideTokens } from '@lachesis/protocol';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import { checkBrowser, type BrowserRules } from './access/check-browser.ts';
import type { Principal } from './access/principal.ts';
import { Quotas, type QuotaLimits } from './access/quotas.ts';
import { createAuditNotes, type AuditNotes } from './audit/audit-notes.ts';
import type { AuditSink } from './audit/audit-sink.ts';
import type { HttpMetrics } from './metrics/http-metrics.ts';
import { admitRequest, type AdmitOptions } from './admit-request.ts';
import { answerBrokenRequest } from './answer-broken-request.ts';
import { answerPage } from './answer-page.ts';
import { compressJson } from './compress-json.ts';
import { toErrorReply } from './error-reply.ts';
import { OpenReplies } from './open-replies.ts';
import { pathKeyOf, takePathKey } from './path-key.ts';
import { readBodies, type RequestBodies, type RequestBodyOptions } from './request-bodies.ts';
import { readRunName } from './read-run-name.ts';
import { pathsOf, type Route, type RouteCall } from './route.ts';

export interface HttpServerOptions extends AdmitOptions, RequestBodyOptions {
  routes: readonly Route[];
  browserRules: BrowserRules;
  metrics: HttpMetrics;
  /** Told of every call that came to an end, refused ones too; every process brings one. */
  audit?: AuditSink;
  log: Logger;
  /** What a token and a tenant may use; no limits when left out. */
  quotaLimits?: QuotaLimits | undefined;
  /** Answers browsers that open an address, before its route is asked; undefined for everybody else. */
  answerBrowser?: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>) | undefined;
  /** Whether long JSON comes compressed to who takes it: for a server that people's machines ask, and not for the loop. */
  compressesJson?: boolean;
  /** Where a path that is not served here belongs, as a sentence; ports are easily mixed up. */
  findElsewhere?: (path: string) => string | undefined;
}

/** How old what is known of a token may be when a reply under way is judged again. */
const JUDGE_AGAIN_MS = 100;
/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Routes are checked by schemas of their own; without these a server loads two compilers at its start, which it never asks. */
const refuseSchema = (): never => {
  throw new Error('routes have no schemas of fastify: defineRoute checks what comes in and what goes out');
};
const NO_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

const admitted = new WeakMap<FastifyRequest, Principal>();

/** Builds the HTTP side of a server from its list of routes. It listens nowhere yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { routes, metrics } = options;
  const log: FastifyBaseLogger = options.log;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenRequest,
    rewriteUrl: takePathKey,
    schemaController: { compilersFactory: NO_COMPILERS },
  });

  // The Atropos wire sends a JSON body with GET /status-env.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  const bodies = readBodies(app, options);
  app.addHook('onRequest', async (request, reply) => {
    checkBrowser(request.headers, options.browserRules);
    if (answerPage(request, reply, options.browserRules)) return reply.send();
    return await options.answerBrowser?.(request, reply);
  });
  if (options.compressesJson === true) compressJson(app);
  const openReplies = new OpenReplies();
  app.addHook('onReady', async () => openReplies.start());
  app.addHook('onClose', async () => openReplies.stop());
  app.addHook('onResponse', async (request, reply) => {
    openReplies.delete(reply.raw);
    metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
  });
  const notes = createAuditNotes(routes, options.audit);
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = toErrorReply(error);
    notes.end(request, status, body.error.code);
    if (status >= 500)
      log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'request failed');
    return reply.code(status).headers(headers).send(body);
  });
  const quotas =
    options.quotaLimits === undefined
      ? undefined
      : new Quotas({ limits: options.quotaLimits, onRefused: (kind) => metrics.refuse(kind) });
  mountRoutes(app, options, { notes, openReplies, bodies, quotas });
  answerUnknownPaths(app, routes, options.findElsewhere);
  return app;
}

const ignore = (): void => undefined;

const isStream = (route: Route): boolean => route.reply.contentType === 'text/event-stream';

interface RouteParts {
  notes: AuditNotes;
  openReplies: OpenReplies;
  bodies: RequestBodies;
  quotas: Quotas | undefined;
}

function mountRoutes(
  app: FastifyInstance,
  options: HttpServerOptions,
  { notes, openReplies, bodies, quotas }: RouteParts,
): void {
  for (const route of options.routes) {
    for (const url of pathsOf(route)) {
      app.route({
        method: route.method,
        url,
        // Before the body is read: a stranger's bytes must cost us nothing.
        onRequest: async (request, reply) => {
          const onCaller = (caller: Principal): void => notes.caller(request, caller);
          const principal = await admitRequest(request, route, { ...options, onCaller });
          admitted.set(request, principal);
          const visit = route.scope === 'public' ? undefined : quotas?.enter(principal, { isStream: isStream(route) });
          if (visit !== undefined) reply.raw.once('close', visit.leave);
          bodies.expect(request, { principal, route, response: reply.raw, onRead: visit?.charge ?? ignore });
          if (route.scope !== 'public')
            openReplies.add(reply.raw, () => admitRequest(request, route, { ...options, maxAgeMs: JUDGE_AGAIN_MS }));
        },
        handler: async (request, reply) => {
          const principal = admitted.get(request);
          if (principal === undefined) throw new Error('a request came to its handler without being admitted');
          const tools: Pick<RouteCall, 'about' | 'readJson' | 'releaseBody'> = {
            about: (things) => notes.about(request, things),
            readJson: (how) => bodies.readJson(request, how),
            releaseBody: () => bodies.release(request),
          };
          try {
            const runName = readRunName(request);
            const answer = await route.handle({ request, reply, principal, runName, ...tools });
            notes.end(request, reply.statusCode);
            return answer;
          } catch (error) {
            // A reply that was sent by hand never comes to the error handler.
            const { status, body } = toErrorReply(error);
            notes.end(request, status, body.error.code);
            throw error;
          }
        },
      });
    }
  }
}

/** The original answers 405 for a known path, 307 for a trailing slash, 404 for the rest. */
function answerUnknownPaths(
  app: FastifyInstance,
  routes: readonly Route[],
  findElsewhere: HttpServerOptions['findElsewhere'],
): void {
  const patterns = routes.flatMap((route) =>
    pathsOf(route).map((path) => ({
      method: route.method,
      pattern: new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
    })),
  );
  const methodsOf = (path: string): string[] =>
    patterns.filter((route) => route.pattern.test(path)).map((route) => route.method);

  app.setNotFoundHandler(async (request, reply: FastifyReply) => {
    const [path = '', query] = request.url.split('?', 2);
    const known = methodsOf(path);
    if (known.length > 0) {
      const body = {
        error: { code: 'bad-request', message: `${request.method} is not allowed here` },
        detail: 'Method Not Allowed',
      };
      return reply.code(405).header('allow', known.join(', ')).send(body);
    }
    // Without the key, which is not sent back.
    const isRedirectable = pathKeyOf(request.raw) === undefined;
    if (
      isRedirectable &&
      path.endsWith('/') &&
      path.length > 1 &&
      !path.startsWith('//') &&
      methodsOf(path.slice(0, -1)).length > 0
    ) {
      return reply
        .code(307)
        .header('location', `${path.slice(0, -1)}${query === undefined ? '' : `?${query}`}`)
        .send();
    }
    const shown = hideTokens(path);
    const hint = findElsewhere?.(shown) ?? 'GET /openapi.json lists what there is.';
    const body = { error: { code: 'not-found', message: `there is no ${shown} here`, hint }, detail: 'Not Found' };
    return reply.code(404).send(body);
  });
}
