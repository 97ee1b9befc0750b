import { describe, expect, test } from 'vitest';

import { environmentIdentifierSchema, environmentRegistrationSchema } from './environment.ts';
import { laxFloatSchema, laxIntSchema, laxStringSchema } from './lax-fields.ts';
import { toPydanticDetail } from './pydantic-detail.ts';
import { registrationSchema } from './registration.ts';

/** The value read, or pydantic's name of the fault. */
const reader =
  (schema: typeof laxIntSchema | typeof laxStringSchema) =>
  (value: unknown): unknown => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : toPydanticDetail(parsed.error.issues).detail[0]!.type;
  };

// The answers of pydantic 2 to the same JSON values; the rows that differ on purpose say so.
describe('integers', () => {
  test.each([
    [8, 8],
    [-0, 0],
    [1e2, 100],
    [8.5, 'int_from_float'],
    [1e20, 'int_parsing_size'],
    [2 ** 53, 'int_parsing_size'], // pydantic keeps every integer exactly; a double cannot
    [Infinity, 'finite_number'],
    [true, 1],
    [false, 0],
    [null, 'int_type'],
    [[], 'int_type'],
    [{}, 'int_type'],
    ['8', 8],
    ['+8', 8],
    ['-8', -8],
    ['-0', 0],
    ['08', 8],
    ['0_1', 1],
    [' 8 ', 8],
    ['\n8\t', 8],
    ['\u00A05', 5],
    ['\u00855', 5],
    ['\uFEFF5', 'int_parsing'],
    ['8.0', 8],
    ['8.00', 8],
    ['-0.0', 0],
    ['1_000', 1000],
    ['1_0.0', 10],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 'int_parsing_size'], // as above
    ['1'.repeat(5000), 'int_parsing_size'],
    ['8.', 'int_parsing'],
    ['8.5', 'int_parsing'],
    ['8.0_0', 'int_parsing'],
    ['1e2', 'int_parsing'],
    ['1__0', 'int_parsing'],
    ['_1', 'int_parsing'],
    ['1_', 'int_parsing'],
    ['- 8', 'int_parsing'],
    ['+-8', 'int_parsing'],
    ['0x10', 'int_parsing'],
    ['', 'int_parsing'],
    [' ', 'int_parsing'],
    ['true', 'int_parsing'],
    ['nan', 'int_parsing'],
    ['٣', 'int_parsing'],
  ])('%j reads as %j', (value, expected) => {
    expect(reader(laxIntSchema)(value)).toBe(expected);
  });
});

describe('floats', () => {
  test.each([
    [8, 8],
    [-0, -0],
    [0.1, 0.1],
    [true, 1],
    [null, 'float_type'],
    [[], 'float_type'],
    ['8', 8],
    [' 1.5 ', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1_0.5', 10.5],
    ['8.0_0', 8],
    ['1_', 'float_parsing'],
    ['_1', 'float_parsing'],
    ['1__0', 'float_parsing'],
    ['0x10', 'float_parsing'],
    ['', 'float_parsing'],
    ['abc', 'float_parsing'],
    // pydantic takes these and the server then fails to answer with them.
    [Number.NaN, 'finite_number'],
    ['nan', 'finite_number'],
    ['-Infinity', 'finite_number'],
    ['+inf', 'finite_number'],
    ['1e400', 'finite_number'],
  ])('%j reads as %j', (value, expected) => {
    expect(reader(laxFloatSchema)(value)).toBe(expected);
  });
});

test('a string is never made from another value', () => {
  const read = reader(laxStringSchema);
  expect(['', 'x', 5, true, null, []].map(read)).toEqual(['', 'x', ...Array<string>(4).fill('string_type')]);
});

const registration = {
  wandb_group: 'g',
  wandb_project: 'p',
  batch_size: '8',
  max_token_len: 1024,
  checkpoint_dir: '',
  save_checkpoint_interval: true,
  starting_step: 0,
  num_steps: 10,
};

test('a registration is coerced and loses what nobody asked for', () => {
  expect(registrationSchema.parse({ ...registration, extra: 1 })).toEqual({
    ...registration,
    batch_size: 8,
    save_checkpoint_interval: 1,
  });
});

test('each field of a registration is required and may not be null', () => {
  for (const field of Object.keys(registration)) {
    const { [field]: _, ...rest } = registration as Record<string, unknown>;
    expect(toPydanticDetail(registrationSchema.safeParse(rest).error!.issues)).toEqual({
      detail: [{ type: 'missing', loc: ['body', field], msg: 'Field required' }],
    });
    expect(registrationSchema.safeParse({ ...registration, [field]: null }).success).toBe(false);
  }
});

test('an environment may leave its minimum out or set it to null', () => {
  const environment = { max_token_length: 10, desired_name: 'e', weight: 1, group_size: 4 };
  const read = (share: object) =>
    environmentRegistrationSchema.parse({ ...environment, ...share }).min_batch_allocation;
  expect(
    [{}, { min_batch_allocation: null }, { min_batch_allocation: '0.25' }, { min_batch_allocation: 0 }].map(read),
  ).toEqual([null, null, 0.25, 0]);
  const refused = environmentRegistrationSchema.safeParse({ ...environment, min_batch_allocation: [] });
  expect(toPydanticDetail(refused.error!.issues).detail).toEqual([
    { type: 'float_type', loc: ['body', 'min_batch_allocation'], msg: 'Input should be a valid number' },
  ]);
});

test('an environment id may be negative and may be zero', () => {
  expect([0, -1, '2'].map((id) => environmentIdentifierSchema.parse({ env_id: id }).env_id)).toEqual([0, -1, 2]);
});

test('a refusal never repeats what was sent', () => {
  const secret = 'hunter2';
  const bodies = [secret, [secret], null, 5, { env_id: secret }, { env_id: { [secret]: secret } }, { [secret]: 1 }];
  for (const body of bodies) {
    const { detail } = toPydanticDetail(environmentIdentifierSchema.safeParse(body).error!.issues);
    expect(detail.length).toBeGreaterThan(0);
    expect(detail.every(({ loc }) => loc[0] === 'body')).toBe(true);
    expect(JSON.stringify(detail)).not.toContain(secret);
  }
  expect(toPydanticDetail(environmentIdentifierSchema.safeParse([]).error!.issues).detail).toEqual([
    {
      type: 'model_attributes_type',
      loc: ['body'],
      msg: 'Input should be a valid dictionary or object to extract fields from',
    },
  ]);
});
