/** A field as reading the source tells it. */
export interface FoundField {
  name: string;
  type: string;
  default?: unknown;
  description?: string;
}

/** A field as the environment itself tells it, loaded in a process of its own. */
export interface DescribedField extends FoundField {
  /** With its section, such as `env.group_size`. */
  path: string;
}

/** The fields an environment declares, with what loading it adds: choices, and defaults that are computed. */
export function refineFields(found: readonly FoundField[], described: readonly DescribedField[]): FoundField[] {
  const known = new Map(
    described.filter(({ path }) => path.startsWith('env.')).map((field) => [field.name, field] as const),
  );
  return found.map((field) => {
    const better = known.get(field.name);
    if (better === undefined) return field;
    const { name, type, default: fallback, description } = better;
    const chosen = fallback ?? field.default;
    return {
      ...{ name, type, description: description || (field.description ?? '') },
      ...(chosen === undefined ? {} : { default: chosen }),
    };
  });
}
