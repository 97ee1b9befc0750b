import { findServerKey } from '@lachesis/protocol';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelServer {
  url: string;
  apiKey: string | undefined;
  /** Undefined: the one the server has. */
  model: string | undefined;
}

export const OPENROUTER_URL = 'https://openrouter.ai/api/v1';
export const OPENAI_URL = 'https://api.openai.com/v1';

/** Which server answers for the agent; undefined when nothing names one. */
export function findModelServer(
  args: { 'base-url'?: string | undefined; model?: string | undefined },
  env: Environment,
): ModelServer | undefined {
  const read = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const model = args.model ?? read('LACHESIS_AGENT_MODEL') ?? read('OPENAI_MODEL');
  const own = read('LACHESIS_AGENT_API_KEY');
  const named = args['base-url'] ?? read('LACHESIS_AGENT_BASE_URL') ?? read('OPENAI_BASE_URL');
  if (named !== undefined) {
    // A key goes to the server it was made for; the general one goes where the person pointed.
    return { url: named, apiKey: own ?? findServerKey(named, env), model };
  }
  const openRouter = read('OPENROUTER_API_KEY');
  if (openRouter !== undefined) return { url: OPENROUTER_URL, apiKey: own ?? openRouter, model };
  const openAi = read('OPENAI_API_KEY');
  return openAi === undefined ? undefined : { url: OPENAI_URL, apiKey: own ?? openAi, model };
}
