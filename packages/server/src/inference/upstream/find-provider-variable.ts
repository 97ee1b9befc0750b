/** The variable in which tools of a provider keep its key, by the one host that the key was made for. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['openrouter.ai', 'OPENROUTER_API_KEY'],
  ['api.openai.com', 'OPENAI_API_KEY'],
]);

/** Undefined for every other host, however alike its name, and for a connection that others can read. */
export function findProviderVariable(url: string): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  return protocol === 'https:' && port === '' ? VARIABLES.get(hostname) : undefined;
}
