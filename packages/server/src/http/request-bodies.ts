import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from './access/principal.ts';
import { createJsonReader, type JsonReader, type ReadJsonOptions } from './json/json-reader.ts';
import { createBufferCollector } from './memory/buffer-collector.ts';
import { ArrivalWatch, type ArrivalRules } from './arrival-watch.ts';
import { BodyLedger, type BodyAccount, type BodyOwner } from './body-ledger.ts';
import { checkDigest } from './check-digest.ts';
import { dropBody, readBodyBytes } from './read-body-bytes.ts';
import { DEFAULT_BODY_BYTES, type Route } from './route.ts';

export interface RequestBodyOptions {
  /** Largest request body, for the routes that take large ones. */
  maxBodyBytes: number;
  /** Bytes of request bodies held in memory at once; further senders wait in their sockets. */
  bodyBudgetBytes: number;
  /** How slow a sender may be. */
  arrivalRules?: ArrivalRules | undefined;
  /** Replaced by tests. */
  bodyLedger?: { open(owner: BodyOwner, announcedBytes: number | undefined): BodyAccount } | undefined;
  /** Replaced by tests. */
  jsonReader?: JsonReader | undefined;
}

/** Whose body it is, and for which route. */
interface ExpectedBody {
  principal: Principal;
  route: Route;
  response: ServerResponse;
  /** Told how long it was. */
  onRead(bytes: number): void;
}

export interface RequestBodies {
  /** Says of an admitted request that its body may be read. */
  expect(request: FastifyRequest, body: ExpectedBody): void;
  readJson(request: FastifyRequest, options?: ReadJsonOptions): Promise<unknown>;
  release(request: FastifyRequest): void;
}

/** Bodies are bytes here, whatever they say they are; each is charged to its sender until the reply has gone. */
export function readBodies(app: FastifyInstance, options: RequestBodyOptions): RequestBodies {
  const { arrivalRules, bodyLedger: ledger = new BodyLedger(options.bodyBudgetBytes) } = options;
  const { jsonReader = createJsonReader() } = options;
  const expected = new WeakMap<FastifyRequest, ExpectedBody>();
  const accounts = new WeakMap<FastifyRequest, BodyAccount>();
  const collector = createBufferCollector();
  const arrivals = new ArrivalWatch({
    monotonic: () => performance.now(),
    ...(arrivalRules === undefined ? {} : { rules: arrivalRules }),
  });
  app.addHook('onClose', async () => {
    arrivals.close();
    await jsonReader.close();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const body = expected.get(request);
    // What anybody may ask, and what is not there, is answered without the body.
    const length = request.headers['content-length'];
    const announced = length === undefined ? undefined : Number(length);
    if (body === undefined || body.route.scope === 'public') return await dropBody({ stream, announced, arrivals });
    const { principal, route, response } = body;
    const account = ledger.open(principal, announced);
    accounts.set(request, account);
    response.once('close', () => account.release());
    // Who left before has closed already, and nothing would ever give the share back.
    if (response.closed) account.release();
    const limit = Math.min(route.maxBodyBytes ?? DEFAULT_BODY_BYTES, options.maxBodyBytes);
    const bytes = await readBodyBytes({ stream, announced, limit, account, arrivals });
    // The pieces it was read in, and the whole.
    collector.count(2 * bytes.length);
    body.onRead(bytes.length);
    checkDigest(request.headers['content-digest'], bytes);
    return bytes;
  });

  return {
    expect: (request, body) => void expected.set(request, body),
    async readJson(request, how) {
      const given = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const text = await jsonReader.open(given, how);
      request.body = text.bytes;
      return text.parse();
    },
    release: (request) => accounts.get(request)?.release(),
  };
}
