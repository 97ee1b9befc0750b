/** Names of models here, and what the upstream calls them. `*` stands for all that are not named. */
export type ModelNames = ReadonlyMap<string, string>;

/** Reads `asked=upstream` pairs. Undefined for one that is no pair. */
export function readModelNames(pairs: readonly string[]): ModelNames | { refused: string } {
  const names = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1 || at === pair.length - 1) return { refused: pair };
    names.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim());
  }
  return names;
}

/** The body with the upstream's name for the model; the same bytes when nothing changes. */
export function mapModel(body: Uint8Array, names: ModelNames): Uint8Array {
  if (names.size === 0) return body;
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // The upstream says what is wrong with it.
    return body;
  }
  if (typeof parsed !== 'object' || parsed === null) return body;
  const { model } = parsed as { model?: unknown };
  const name = names.get(typeof model === 'string' ? model : '') ?? names.get('*');
  return name === undefined || name === model ? body : Buffer.from(JSON.stringify({ ...parsed, model: name }));
}
