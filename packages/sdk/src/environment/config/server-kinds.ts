import type { ServerConfig } from './server-config.ts';

/** What is known of a kind of server before it is asked. */
export interface ServerKind {
  /** What is sent beside OpenAI's own fields, so that replies come with their tokens. */
  readonly extraFields: Readonly<Record<string, unknown>>;
  /** Whether it may be our own server, which takes fields that no other has. */
  readonly mayBeOurs: boolean;
  /** It gives one reply a request, and does not know `n`. */
  readonly ignoresN: boolean;
  /** Where it listens when nobody says. */
  readonly defaultUrl?: string;
  /** Why its replies can never be trained on; absent where they can. */
  readonly noTokens?: string;
}

/** vLLM's names, which our own server has too. Who refuses them is sent them once. */
const TOKENS = { logprobs: true, return_token_ids: true } as const;

/**
 * What `server_type` means. Token ids come from `token_ids` (ours, vLLM), from `response_token_ids` (SGLang), or from SGLang's
 * own `/generate`. `trl vllm-serve` starts vLLM's server (TRL 1.16.0), so both are one.
 */
export const SERVER_KINDS: Readonly<Record<ServerConfig['server_type'], ServerKind>> = {
  openai: { extraFields: TOKENS, mayBeOurs: true, ignoresN: false },
  vllm: { extraFields: TOKENS, mayBeOurs: false, ignoresN: false },
  trl: { extraFields: TOKENS, mayBeOurs: false, ignoresN: false },
  sglang: { extraFields: { ...TOKENS, return_prompt_token_ids: true }, mayBeOurs: false, ignoresN: false },
  ollama: {
    extraFields: {},
    mayBeOurs: false,
    ignoresN: true,
    defaultUrl: 'http://localhost:11434/v1',
    noTokens: 'Ollama has no field for the ids of tokens.',
  },
  openrouter: {
    extraFields: {},
    mayBeOurs: false,
    ignoresN: true,
    defaultUrl: 'https://openrouter.ai/api/v1',
    noTokens: 'OpenRouter has no field for the ids of tokens.',
  },
};
