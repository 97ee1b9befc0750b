import { fieldKindSchema, type FieldKind } from '@lachesis/protocol';
import type { z } from 'zod';

/** What a field is once default, optional and nullable are taken off. */
export interface FieldShape {
  /** zod's word: `number`, `int`, `boolean`, `string`, `enum`, `array`, `object`, `record`, … */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  /** Undefined when there is none. */
  readonly defaultValue: unknown;
  readonly description: string | undefined;
  /** Not to be printed. */
  readonly isSecret: boolean;
  /** What its value can do, where the schema declares it. */
  readonly kind: FieldKind | undefined;
  /** The bare schema, for its fields, elements or choices. */
  readonly inner: z.ZodType;
}

type Layer = z.ZodType & {
  readonly def: {
    readonly type: string;
    readonly innerType?: Layer;
    readonly defaultValue?: unknown;
    readonly in?: Layer;
  };
};

/** Looks through the wrappers of a schema. */
export function readShape(schema: z.ZodType): FieldShape {
  let layer = schema as Layer;
  let [isNullable, isOptional, isSecret] = [false, false, false];
  let defaultValue: unknown;
  let description: string | undefined;
  let kind: FieldKind | undefined;
  for (;;) {
    description ??= layer.description;
    const meta = layer.meta();
    isSecret ||= meta?.['secret'] === true;
    kind ??= fieldKindSchema.safeParse(meta?.['kind']).data;
    const { type, innerType, in: input } = layer.def;
    if (type === 'nullable') isNullable = true;
    if (type === 'optional' || type === 'default' || type === 'prefault') isOptional = true;
    if (type === 'default' || type === 'prefault') defaultValue ??= layer.def.defaultValue;
    const next = innerType ?? (type === 'pipe' ? input : undefined);
    if (next === undefined) break;
    layer = next;
  }
  return { type: layer.def.type, isNullable, isOptional, defaultValue, description, isSecret, kind, inner: layer };
}

/** The fields of an object schema, by name. */
export function readFields(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const { type, inner } = readShape(schema);
  return type === 'object' ? (inner as z.ZodObject).shape : undefined;
}

/** The element of an array schema. */
export function readElement(schema: z.ZodType): z.ZodType | undefined {
  const { type, inner } = readShape(schema);
  return type === 'array' ? ((inner as z.ZodArray).element as z.ZodType) : undefined;
}
