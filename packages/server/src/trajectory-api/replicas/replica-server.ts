import { findToken, type Store } from '@lachesis/store';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { decide, isCommandName } from '../commands/commands.ts';
import type { CommandContext } from '../commands/command.ts';
import { LIFE, toRefusal, type AskMessage } from './ask-message.ts';
import { NotOwnerError } from './not-owner-error.ts';
import { REPLICA_SCOPE } from './replica-token.ts';

export interface ReplicaServerOptions {
  store: Store;
  /** Where to listen, and what others call. */
  address: string;
  /** Its address and its life. */
  name: string;
  log: Logger;
  monotonic: () => number;
  /** The run a command is about, in this process. */
  contextOf(run: { tenantId: string; runName: string }): CommandContext;
  hear(replica: string): void;
}

/** A batch of a hundred thousand groups that is given back names them all. */
const MOST_BYTES = 32 * 1024 ** 2;
/** A token that was good is taken for good for so long. */
const REMEMBER_MS = 5_000;
/** An answer that was not heard is given again within this time. */
const ANSWERS_MS = 30_000;

type Reply = { status: number; body: unknown };

/**
 * Listens for the commands of other servers. Only who has the database can make the token that it asks for; under which name it lives
 * is said to anybody.
 */
export class ReplicaServer {
  readonly #options: ReplicaServerOptions;
  readonly #server: Server;
  readonly #known = new Map<string, number>();
  readonly #answers = new Map<string, Promise<Reply>>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: ReplicaServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Resolves with the port, which the system has chosen where the address says 0. */
  listen(): Promise<number> {
    const { hostname, port } = new URL(this.#options.address);
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
        this.#server.off('error', reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let reply: Reply;
    try {
      reply = await this.#answer(request);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a command of another server could not be read');
      reply = { status: 400, body: {} };
    }
    const bytes = Buffer.from(JSON.stringify(reply.body));
    response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': bytes.length });
    response.end(bytes);
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    // It has to be said at once: also while the database that knows the tokens is away or slow.
    if (request.url === `/${LIFE}`) return { status: 200, body: { value: this.#options.name } };
    const bytes = await readBytes(request);
    if (!(await this.#isReplica(request.headers.authorization ?? ''))) return { status: 401, body: {} };
    const message = JSON.parse(bytes.toString('utf8')) as AskMessage;
    this.#options.hear(message.from);
    // As servers of before ask it.
    if (message.command === LIFE) return { status: 200, body: { value: this.#options.name } };
    const known = this.#answers.get(message.id);
    if (known !== undefined) return known;
    const answer = this.#decide(message);
    this.#answers.set(message.id, answer);
    const { status } = await answer;
    // What was not decided is decided when it is asked again.
    if (status !== 200) this.#answers.delete(message.id);
    else {
      const timer = setTimeout(() => {
        this.#answers.delete(message.id);
        this.#timers.delete(timer);
      }, ANSWERS_MS);
      timer.unref();
      this.#timers.add(timer);
    }
    return answer;
  }

  async #decide({ tenantId, runName, command, input }: AskMessage): Promise<Reply> {
    try {
      if (!isCommandName(command)) return { status: 404, body: {} };
      const context = this.#options.contextOf({ tenantId, runName });
      if ((await context.run.owner?.find()) !== null) throw new NotOwnerError(runName);
      // It was written by a server that shares the database with us, whose token we have checked.
      return { status: 200, body: { value: await decide(context, command, input as never) } };
    } catch (error) {
      return toRefusal(error, runName);
    }
  }

  async #isReplica(header: string): Promise<boolean> {
    const token = header.startsWith('Bearer ') ? header.slice('Bearer '.length) : '';
    const now = this.#options.monotonic();
    const until = this.#known.get(token);
    if (until !== undefined && now < until) return true;
    const found = await findToken({ store: this.#options.store, token });
    if (found?.kind !== 'process' || !found.scopes.includes(REPLICA_SCOPE)) return false;
    if (this.#known.size > 1_000) this.#known.clear();
    this.#known.set(token, now + REMEMBER_MS);
    return true;
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('the command is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
