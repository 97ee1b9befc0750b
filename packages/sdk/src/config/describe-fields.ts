import type { FieldBounds, FieldKind } from '@lachesis/protocol';
import type { z } from 'zod';
import { readBounds } from './read-bounds.ts';
import { readElement, readFields, readShape } from './schema-shape.ts';

/** One setting, for `--help` and for whoever shows a form. */
export interface SchemaField {
  /** With its section, such as `env.group_size`. */
  readonly path: string;
  readonly name: string;
  /** `integer`, `number`, `boolean`, `string`, `list`, `object`, or the choices `a|b|c`. */
  readonly type: string;
  readonly default: unknown;
  readonly description: string;
  /** What its value can do, where the schema declares it. */
  readonly kind?: FieldKind;
  /** What its value must hold besides the type, where the schema asks for more. */
  readonly bounds?: FieldBounds;
}

/** The settings of a schema in their order; those of lists of objects without a number. */
export function describeFields(schema: z.ZodType, path = ''): SchemaField[] {
  const fields = readFields(schema) ?? readFields(readElement(schema) ?? schema);
  if (fields === undefined) return [];
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const inner = describeFields(field, here);
    if (inner.length > 0) return inner;
    const { defaultValue, description = '', kind, inner: bare } = readShape(field);
    const bounds = readBounds(bare);
    return [
      {
        ...{ path: here, name, type: nameType(field), default: defaultValue, description },
        ...(kind === undefined ? {} : { kind }),
        ...(bounds === undefined ? {} : { bounds }),
      },
    ];
  });
}

function nameType(field: z.ZodType): string {
  const { type, inner } = readShape(field);
  if (type === 'enum') return (inner as z.ZodEnum).options.join('|');
  if (type === 'array') return 'list';
  if (type === 'record') return 'object';
  if (type === 'number') return (inner as z.ZodNumber).format === 'safeint' ? 'integer' : 'number';
  return type;
}
