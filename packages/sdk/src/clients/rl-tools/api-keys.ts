type Environment = Readonly<Record<string, string | undefined>>;

export interface EngineKeys {
  /** The environment variables of the process. */
  env: Environment;
  /** A local engine needs no key. */
  hasLocalEngine?: boolean | undefined;
}

/** Each of them alone is enough to train. */
const ENGINE_VARIABLES = ['TINKER_API_KEY', 'TINKER_BASE_URL'];

/** Whether training can reach an engine: the managed service, a server by its address, or a local one. */
export function checkRlApiKeys(keys: EngineKeys): boolean {
  return getMissingKeys(keys).length === 0;
}

/** Empty, or the variables of which one has to be set. A metrics account is never among them. */
export function getMissingKeys({ env, hasLocalEngine = false }: EngineKeys): string[] {
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  return hasLocalEngine || ENGINE_VARIABLES.some(isSet) ? [] : [...ENGINE_VARIABLES];
}
