/** An address as it may be kept and shown: without a name, a password or a query. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/**
 * The address for a process that speaks to the engine of a run. A run keeps it without credentials; they are those of the
 * control server's own variable, as long as it names the same engine.
 */
export function addressWithCredentials(kept: string, given: string | undefined): string {
  return given !== undefined && withoutCredentials(given) === withoutCredentials(kept) ? given : kept;
}

/** What a Tinker server knows its caller by. Whoever sends it follows no redirect: the next server would be shown the key. */
export const keyedHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined || key === '' ? {} : { 'x-api-key': key };
