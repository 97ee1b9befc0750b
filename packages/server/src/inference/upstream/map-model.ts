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

/** The upstream's name for the model of a request; undefined when it stays as it is. */
export function mapModel({ model }: { model?: unknown }, names: ModelNames): string | undefined {
  const name = names.get(typeof model === 'string' ? model : '') ?? names.get('*');
  return name === model ? undefined : name;
}
