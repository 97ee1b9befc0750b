import { hasScope, LachesisError, SCOPE_DESCRIPTIONS } from '@lachesis/protocol';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '../access/authenticate.ts';
import { checkBrowser, type BrowserRules } from '../access/check-browser.ts';
import { LOCAL_PRINCIPAL, type Principal } from '../access/principal.ts';
import { readCredential } from '../access/read-credential.ts';
import type { HttpMetrics } from '../metrics/http-metrics.ts';
import { createBufferCollector } from '../memory/buffer-collector.ts';
import { answerBrokenRequest } from './answer-broken-request.ts';
import { ByteBudget } from './byte-budget.ts';
import { toErrorReply } from './error-reply.ts';
import { DEFAULT_RUN, pathsOf, type Route } from './route.ts';

export interface HttpServerOptions {
  routes: readonly Route[];
  authenticator: Authenticator;
  browserRules: BrowserRules;
  metrics: HttpMetrics;
  log: Logger;
  /** Largest request body. */
  maxBodyBytes: number;
  /** Bytes of request bodies held in memory at once; further senders wait in their sockets. */
  bodyBudgetBytes: number;
  /** Where a path that is not served here belongs, as a sentence; ports are easily mixed up. */
  findElsewhere?: (path: string) => string | undefined;
}

/** How long a client may take to send a request: slower ones hold budget that others wait for. */
const REQUEST_TIMEOUT_MS = 120_000;
const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const heldShares = new WeakMap<FastifyRequest, () => void>();
const admitted = new WeakMap<FastifyRequest, Principal>();

/** Builds the HTTP side of a server from its list of routes. It listens nowhere yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { routes, metrics } = options;
  const log: FastifyBaseLogger = options.log;
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenRequest,
  });

  // The Atropos wire sends a JSON body with GET /status-env.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  const collector = createBufferCollector();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    // The pieces it was read in, and the whole.
    collector.count(2 * body.length);
    done(null, body);
  });

  holdBodyBudget(app, new ByteBudget(options.bodyBudgetBytes), options.maxBodyBytes);
  app.addHook('onRequest', async (request) => checkBrowser(request.headers, options.browserRules));
  app.addHook('onResponse', async (request, reply) => {
    metrics.observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000);
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = toErrorReply(error);
    if (status >= 500)
      log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'request failed');
    return reply.code(status).headers(headers).send(body);
  });
  mountRoutes(app, routes, options.authenticator);
  answerUnknownPaths(app, routes, options.findElsewhere);
  return app;
}

function mountRoutes(app: FastifyInstance, routes: readonly Route[], authenticator: Authenticator): void {
  for (const route of routes) {
    for (const url of pathsOf(route)) {
      app.route({
        method: route.method,
        url,
        // Before the body is read: a stranger's bytes must cost us nothing.
        onRequest: async (request) => {
          admitted.set(request, await admit(request, route, authenticator));
        },
        handler: async (request, reply) => {
          const principal = admitted.get(request);
          if (principal === undefined) throw new Error('a request came to its handler without being admitted');
          const releaseBody = (): void => heldShares.get(request)?.();
          return route.handle({ request, reply, principal, runName: readRunName(request), releaseBody });
        },
      });
    }
  }
}

async function admit(request: FastifyRequest, route: Route, authenticator: Authenticator): Promise<Principal> {
  if (route.scope === 'public') return LOCAL_PRINCIPAL;
  const principal = await authenticator.authenticate(readCredential(request.headers.authorization));
  if (hasScope(principal.scopes, route.scope)) return principal;
  throw new LachesisError({
    code: 'forbidden',
    message: `token ${principal.tokenId ?? ''} lacks the scope ${route.scope}`,
    hint: `${route.scope}: ${SCOPE_DESCRIPTIONS[route.scope]}`,
  });
}

function readRunName(request: FastifyRequest): string {
  const { run } = request.params as { run?: string };
  if (run === undefined) return DEFAULT_RUN;
  if (RUN_NAME.test(run)) return run;
  throw new LachesisError({
    code: 'not-found',
    message: `${JSON.stringify(run)} is not a run name`,
    hint: 'Run names are letters, digits, dots, dashes and underscores, at most 100.',
  });
}

/** A body is charged to the budget by its announced length before it is read, and given back with the reply. */
function holdBodyBudget(app: FastifyInstance, budget: ByteBudget, maxBodyBytes: number): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const announced = Number(request.headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(announced) && request.headers['transfer-encoding'] === undefined) return payload;
    // Refused unread: it must neither wait for the whole budget nor let others wait behind it.
    if (announced > maxBodyBytes) return payload;
    // A body that does not say its length may be as long as any.
    const release = await budget.acquire(Number.isNaN(announced) ? maxBodyBytes : announced);
    heldShares.set(request, release);
    reply.raw.once('close', release);
    // Who left while waiting has closed already, and nothing would ever give the share back.
    if (reply.raw.closed) release();
    return payload;
  });
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
    if (path.endsWith('/') && path.length > 1 && !path.startsWith('//') && methodsOf(path.slice(0, -1)).length > 0) {
      return reply
        .code(307)
        .header('location', `${path.slice(0, -1)}${query === undefined ? '' : `?${query}`}`)
        .send();
    }
    const hint = findElsewhere?.(path) ?? 'GET /openapi.json lists what there is.';
    const body = { error: { code: 'not-found', message: `there is no ${path} here`, hint }, detail: 'Not Found' };
    return reply.code(404).send(body);
  });
}
