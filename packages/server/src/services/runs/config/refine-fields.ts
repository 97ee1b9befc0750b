import type { FieldBounds, FieldKind } from '@lachesis/protocol';
import { DEFAULTED_FIELDS } from './shared-fields.ts';

/** A field as reading the source tells it. */
export interface FoundField {
  name: string;
  type: string;
  default?: unknown;
  description?: string;
  kind?: FieldKind;
  bounds?: FieldBounds;
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
  const declared = new Set(found.map(({ name }) => name));
  const shared = [...known.values()]
    .filter(
      ({ name, default: fallback }) => DEFAULTED_FIELDS.has(name) && !declared.has(name) && fallback !== undefined,
    )
    .map(({ name, type, default: fallback, description, bounds }) => ({
      ...{ name, type, default: fallback, description: description ?? '' },
      ...(bounds === undefined ? {} : { bounds }),
    }));
  const own = found.map((field) => {
    const better = known.get(field.name);
    if (better === undefined) return field;
    const { name, type, default: fallback, description, bounds = field.bounds } = better;
    const chosen = fallback ?? field.default;
    // Where the source says it is more than a value, running the file does not make it less.
    const kind = field.kind !== undefined && field.kind !== 'value' ? field.kind : (better.kind ?? field.kind);
    return {
      ...{ name, type, description: description || (field.description ?? '') },
      ...(chosen === undefined ? {} : { default: chosen }),
      ...(kind === undefined ? {} : { kind }),
      ...(bounds === undefined ? {} : { bounds }),
    };
  });
  return [...own, ...shared];
}
