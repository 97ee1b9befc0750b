import { ClientError } from '../../clients/client-error.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { SERVER_KINDS } from '../config/server-kinds.ts';
import { EnvironmentError } from '../environment-error.ts';
import { createServerAsker, refuseWithoutTokens } from './ask-server.ts';
import { createServerPool, type PooledServer } from './choose-server.ts';
import type { Completion, PolicyRequest, Policy } from './policy.ts';

export interface HttpPolicyOptions {
  /** OpenAI-compatible servers; requests go to the one with most room for its weight. */
  readonly servers: readonly ServerConfig[];
  /** Refuse replies without token ids and logprobs, which cannot be trained on. */
  readonly needsTokens?: boolean;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** For how long a request is tried again while the server is away: its restart is not the rollout's failure. */
  readonly retryForMs?: number;
  /** Told once for each thing a server turned out not to take, as a sentence. */
  readonly onNote?: ((sentence: string) => void) | undefined;
}

const DEFAULT_RETRY_MS = 60_000;
/** With another server to turn to, one is not waited for so long. */
const RETRY_MS_OF_MANY = 3_000;

/** A policy behind OpenAI-compatible servers: our inference, vLLM, SGLang, or any other for evaluation. */
export function createHttpPolicy({
  servers,
  needsTokens = false,
  fetch: send = globalThis.fetch,
  now = () => performance.now(),
  retryForMs = DEFAULT_RETRY_MS,
  onNote,
}: HttpPolicyOptions): Policy {
  const [first] = servers;
  if (first === undefined) {
    throw new EnvironmentError({ kind: 'no-server', reason: 'No inference server is configured.' });
  }
  const isWithout = servers.every(({ server_type: type }) => SERVER_KINDS[type].noTokens !== undefined);
  if (needsTokens && isWithout) throw refuseWithoutTokens(first);
  const pool = createServerPool(servers, now);
  const retry = servers.length === 1 ? retryForMs : Math.min(RETRY_MS_OF_MANY, retryForMs);
  const askServer = createServerAsker({ needsTokens, fetch: send, retryForMs: retry, onNote });
  const waiters: (() => void)[] = [];
  /** Servers that gave fewer replies than they were asked for. */
  const single = new Set(
    servers.filter((config) => config.n_kwarg_is_ignored || SERVER_KINDS[config.server_type].ignoresN),
  );

  async function withServer<T>(isEvaluation: boolean, work: (server: PooledServer) => Promise<T>): Promise<T> {
    let server = pool.choose(isEvaluation);
    while (server === undefined) {
      await new Promise<void>((resolve) => waiters.push(resolve));
      server = pool.choose(isEvaluation);
    }
    server.inFlight += 1;
    if (isEvaluation) server.evaluating += 1;
    try {
      return await work(server);
    } catch (error) {
      if (ClientError.isInstance(error) && error.retryable) pool.rest(server);
      throw error;
    } finally {
      server.inFlight -= 1;
      if (isEvaluation) server.evaluating -= 1;
      // All, not one: the room may be for a training request while an evaluation stands first.
      for (const wake of waiters.splice(0)) wake();
    }
  }

  async function ask(asked: PolicyRequest): Promise<Completion[]> {
    for (let attempt = 1; ; attempt += 1) {
      asked.signal?.throwIfAborted();
      try {
        return await withServer(asked.isEvaluation === true, async ({ config }) => {
          const completions = await askServer(asked, config);
          if (completions.length < asked.samples && !single.has(config)) {
            single.add(config);
            onNote?.(`${config.base_url} gives one reply a request; it is asked once for each`);
          }
          return completions;
        });
      } catch (error) {
        const isLast = attempt >= servers.length || !ClientError.isInstance(error) || !error.retryable;
        if (isLast) throw error;
      }
    }
  }

  /** One request a reply, from the place of the first that is missing. */
  const askOneByOne = async (asked: PolicyRequest, from: number): Promise<Completion[]> => {
    const replies = Array.from({ length: asked.samples - from }, (_, index) => {
      const place = from + index;
      return ask({
        ...asked,
        samples: 1,
        ...(asked.seed === undefined ? {} : { seed: (asked.seed + place) % 0x7fff_ffff }),
        rolloutIds: asked.rolloutIds?.slice(place, place + 1),
      });
    });
    return (await Promise.all(replies)).flat();
  };

  return {
    async complete(asked) {
      if (asked.samples > 1 && servers.every((config) => single.has(config))) return askOneByOne(asked, 0);
      const completions = await ask(asked);
      if (completions.length >= asked.samples) return completions.slice(0, asked.samples);
      return [...completions, ...(await askOneByOne(asked, completions.length))];
    },
  };
}
