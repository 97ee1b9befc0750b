import { fieldBoundsSchema, type FieldBounds } from '@lachesis/protocol';

/** A link of a chain such as `.min(1)`, or an argument of `Field` such as `ge=1`. */
export interface BoundCall {
  readonly method: string;
  /** Undefined when only running the code would tell. */
  readonly value: unknown;
  /** Of a regular expression that stands there as one. */
  readonly pattern?: string | undefined;
}

const NUMBERS: Readonly<Record<string, keyof FieldBounds>> = {
  ...{ min: 'minimum', gte: 'minimum', ge: 'minimum', max: 'maximum', lte: 'maximum', le: 'maximum' },
  ...{ gt: 'exclusive_minimum', lt: 'exclusive_maximum', multipleOf: 'multiple_of', multiple_of: 'multiple_of' },
};

/** Names of what takes no argument. */
const SIGNS: Readonly<Record<string, FieldBounds>> = {
  positive: { exclusive_minimum: 0 },
  nonnegative: { minimum: 0 },
  negative: { exclusive_maximum: 0 },
  nonpositive: { maximum: 0 },
};

const LENGTHS: Readonly<Record<string, keyof FieldBounds>> = {
  ...{ min: 'min_length', max: 'max_length', min_length: 'min_length', max_length: 'max_length', pattern: 'pattern' },
};

/** What the source asks of a value besides its type; undefined where that is nothing it says plainly. */
export function toBounds(type: string, calls: readonly BoundCall[]): FieldBounds | undefined {
  const isNumber = type === 'integer' || type === 'number';
  const found = calls.map(({ method, value, pattern }): FieldBounds => {
    if (method === 'regex') return pattern === undefined ? {} : { pattern };
    if (method === 'nonempty') return { min_length: 1 };
    if (isNumber && Object.hasOwn(SIGNS, method)) return SIGNS[method] ?? {};
    const name = (isNumber ? NUMBERS : LENGTHS)[method];
    return name === undefined || value === undefined ? {} : { [name]: value };
  });
  const bounds = fieldBoundsSchema.safeParse(Object.assign({}, ...found)).data;
  return bounds === undefined || Object.keys(bounds).length === 0 ? undefined : bounds;
}
