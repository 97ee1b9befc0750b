import { expect, test } from 'vitest';
import { listEnvironmentFields } from '../command/describe-environment.ts';
import { codeField, pathField, urlField } from '../config/field-kinds.ts';
import { defineEnvironment } from '../define-environment.ts';
import { z } from 'zod';
import { scanTypeScript } from './scan-typescript.ts';

const kinds = { a: 'path', b: 'url', c: 'code', d: 'value', e: undefined };

test('the kind of a field is read from the source, and told alike by the environment itself', () => {
  const source = `
    export default defineEnvironment({ name: 'x', config: z.object({
      a: pathField().default('x').describe('y'), b: urlField().optional(), c: sdk.codeField(),
      d: z.string().meta({ kind: 'value' }).optional(), e: z.string() }) });`;
  const [found] = scanTypeScript('x.ts', source);
  expect(Object.fromEntries(found?.config_fields?.map(({ name, kind }) => [name, kind]) ?? [])).toEqual(kinds);
  expect(found?.config_fields?.[0]).toEqual({
    name: 'a',
    type: 'string',
    kind: 'path',
    default: 'x',
    description: 'y',
  });
  const definition = defineEnvironment({
    name: 'x',
    config: z.object({
      a: pathField().default('x').describe('y'),
      b: urlField().optional(),
      c: codeField(),
      d: z.string().meta({ kind: 'value' }).optional(),
      e: z.string(),
    }),
    items: { train: [], evaluation: [] },
    formatPrompt: () => '',
    computeReward: () => 0,
  });
  const own = listEnvironmentFields(definition).slice(0, 5);
  expect(Object.fromEntries(own.map(({ name, kind }) => [name, kind]))).toEqual(kinds);
});

test('bounds are read from the source, and told alike by the environment itself', () => {
  const bounds = {
    a: { minimum: 1, maximum: 4 },
    b: { exclusive_minimum: 0, maximum: 1 },
    c: { pattern: '^\\d$' },
    d: { min_length: 1, max_length: 3 },
    e: undefined,
  };
  const source = `
    export default defineEnvironment({ name: 'x', config: z.object({
      a: z.int().min(1).max(4).default(2), b: z.number().gt(0).max(1), c: z.string().regex(/^\\d$/).optional(),
      d: z.array(z.string()).min(1).max(3).default(['a']), e: z.int() }) });`;
  const [found] = scanTypeScript('x.ts', source);
  expect(Object.fromEntries(found?.config_fields?.map((field) => [field.name, field.bounds]) ?? [])).toEqual(bounds);
  const definition = defineEnvironment({
    name: 'x',
    config: z.object({
      a: z.int().min(1).max(4).default(2),
      b: z.number().gt(0).max(1),
      c: z.string().regex(/^\d$/).optional(),
      d: z.array(z.string()).min(1).max(3).default(['a']),
      e: z.int(),
    }),
    items: { train: [], evaluation: [] },
    formatPrompt: () => '',
    computeReward: () => 0,
  });
  const own = listEnvironmentFields(definition).slice(0, 5);
  expect(Object.fromEntries(own.map((field) => [field.name, field.bounds]))).toEqual(bounds);
});
