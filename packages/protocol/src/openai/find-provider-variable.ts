/** Closed APIs by their host, and the variable in which tools of each keep its key. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['openrouter.ai', 'OPENROUTER_API_KEY'],
  ['api.openai.com', 'OPENAI_API_KEY'],
  ['api.anthropic.com', 'ANTHROPIC_API_KEY'],
  ['generativelanguage.googleapis.com', 'GEMINI_API_KEY'],
  ['api.together.xyz', 'TOGETHER_API_KEY'],
  ['api.together.ai', 'TOGETHER_API_KEY'],
  ['api.fireworks.ai', 'FIREWORKS_API_KEY'],
  ['api.groq.com', 'GROQ_API_KEY'],
  ['api.deepseek.com', 'DEEPSEEK_API_KEY'],
  ['api.mistral.ai', 'MISTRAL_API_KEY'],
  ['api.x.ai', 'XAI_API_KEY'],
]);

/** Undefined for every other host, however alike its name, and for a connection that others can read. */
export function findProviderVariable(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  return protocol === 'https:' && port === '' ? PROVIDERS.get(hostname) : undefined;
}

/** Whether a closed API answers there: it speaks OpenAI's way only, and has no route for health. */
export function isProviderUrl(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return PROVIDERS.keys().some((known) => host === known || host.endsWith(`.${known}`));
}

/**
 * The key for a server: the one of its provider, else the general one. A key goes to the provider it was made for; to other
 * hosts, which a person pointed at, goes `OPENAI_API_KEY`.
 */
export function findServerKey(url: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const own = findProviderVariable(url);
  const name = own ?? (isProviderUrl(url) ? undefined : 'OPENAI_API_KEY');
  const key = name === undefined ? undefined : env[name];
  return key === '' ? undefined : key;
}
