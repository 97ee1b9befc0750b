import type { ControlHealth } from '@lachesis/protocol';
import { keyedHeaders } from './engine-address.ts';

export interface StationProbeOptions {
  /** Undefined is the managed service; throws when there is none. */
  findEngineUrl: () => Promise<string | undefined>;
  /** What a Tinker server asks for; the gateway is not shown it. */
  engineKey: string | undefined;
  /** The gateway beside this server. */
  gatewayUrl: string | undefined;
  /** Whether a run serves its policy now. */
  hasPolicy: () => Promise<boolean>;
  /** Whether a server of somebody else is configured. */
  isConfigured: boolean;
  fetch: typeof fetch;
  monotonic: () => number;
}

export interface StationProbe {
  /** Whether engine and inference answer; asked anew when the last answer is old. Never rejects. */
  look(): Promise<Required<Pick<ControlHealth, 'engine' | 'inference'>>>;
  /** The first model that the engine has; undefined when it does not say so now. */
  findFirstModel(): Promise<string | undefined>;
}

/** Whoever asks for the health waits no longer than this for others. */
const ASK_MS = 1_000;
/** The health is public: asking it often must not become asking others often. */
const KEPT_MS = 3_000;

/** Asks the stations around the control server how they are. */
export function createStationProbe(options: StationProbeOptions): StationProbe {
  const { monotonic } = options;
  const once = <T>(work: () => Promise<T>): (() => Promise<T>) => {
    let last: { at: number; answer: Promise<T> } | undefined;
    return () => {
      if (last === undefined || monotonic() - last.at > KEPT_MS) last = { at: monotonic(), answer: work() };
      return last.answer;
    };
  };
  const keyed = keyedHeaders(options.engineKey);
  const engineAt = async (path: string): Promise<Response | undefined> => {
    const url = await options.findEngineUrl();
    return url === undefined ? undefined : await ask(options.fetch, `${url.replace(/\/+$/, '')}${path}`, keyed);
  };
  const lookAtEngine = async (): Promise<NonNullable<ControlHealth['engine']>> => {
    let url: string | undefined;
    try {
      url = await options.findEngineUrl();
    } catch {
      // It says itself, at the start of a run, what there is to do.
      return 'none';
    }
    if (url === undefined) return 'managed';
    return (await isAnswering(options.fetch, `${url.replace(/\/+$/, '')}/api/v1/healthz`, keyed)) ? 'ready' : 'away';
  };
  const lookAtInference = async (): Promise<NonNullable<ControlHealth['inference']>> => {
    const { gatewayUrl } = options;
    if (await options.hasPolicy().catch(() => false)) return 'ready';
    if (gatewayUrl !== undefined) return (await isAnswering(options.fetch, `${gatewayUrl}/health`)) ? 'ready' : 'away';
    return options.isConfigured ? 'configured' : 'none';
  };
  return {
    look: once(async () => {
      const [engine, inference] = await Promise.all([lookAtEngine(), lookAtInference()]);
      return { engine, inference };
    }),
    findFirstModel: once(async () => {
      try {
        const reply = await engineAt('/api/v1/get_server_capabilities');
        if (reply?.ok !== true) return undefined;
        const { supported_models: listed } = (await reply.json()) as { supported_models?: { model_name?: unknown }[] };
        const name = listed?.[0]?.model_name;
        return typeof name === 'string' ? name : undefined;
      } catch {
        // One that is away has no model now.
        return undefined;
      }
    }),
  };
}

async function ask(
  send: typeof fetch,
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const url = new URL(address);
  const { username, password } = url;
  [url.username, url.password] = ['', ''];
  const key = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return await send(url, {
    ...{ signal: AbortSignal.timeout(ASK_MS), redirect: 'manual' },
    headers: { ...headers, ...(username === '' ? {} : { authorization: `Basic ${key}` }) },
  });
}

async function isAnswering(...asked: Parameters<typeof ask>): Promise<boolean> {
  try {
    const reply = await ask(...asked);
    await reply.body?.cancel();
    return reply.ok;
  } catch {
    return false;
  }
}
