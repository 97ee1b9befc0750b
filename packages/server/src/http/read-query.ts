import { isRecord, LachesisError } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { checkValue } from './read-body.ts';

/** Checks the query; numbers and booleans, which arrive as text, are read where the schema wants one. */
export function readQuery<S extends z.ZodObject>(request: FastifyRequest, schema: S): z.output<S> {
  const query = isRecord(request.query) ? request.query : {};
  refuseNul(Object.values(query), 'the query');
  return checkValue(fromText(query, schema), schema, { message: 'the query does not fit this request' });
}

/** The parameters that a path names. */
export function readParameters(request: FastifyRequest, path: string): Record<string, string> {
  const given = isRecord(request.params) ? request.params : {};
  const names = path.matchAll(/:([a-z_]+)/g).map((match) => match[1] ?? '');
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  const parameters = Object.fromEntries(names.map((name) => [name, textOf(given[name])]));
  refuseNul(Object.values(parameters), 'the address');
  return parameters;
}

/** PostgreSQL keeps no text with a zero byte, and none of our names has one. */
export function refuseNul(values: readonly unknown[], where: string): void {
  if (!values.some((value) => typeof value === 'string' && value.includes('\u0000'))) return;
  throw new LachesisError({
    code: 'invalid',
    message: `${where} holds a zero byte`,
    hint: 'Names and ids are ordinary text.',
  });
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Fields that hold text keep it, whatever it looks like: a user may be called 42. */
function fromText(query: Record<string, unknown>, { shape }: z.ZodObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      const kind = Object.hasOwn(shape, name) ? kindOf(shape[name]) : undefined;
      if (kind === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return [name, Number(value)];
      if (kind === 'boolean') return [name, BOOLEANS[value] ?? value];
      return [name, value];
    }),
  );
}

/** What a field holds when it is there. */
function kindOf(schema: unknown): string | undefined {
  if (!isRecord(schema) || !isRecord(schema['def'])) return undefined;
  const { type, innerType, in: from } = schema['def'];
  return kindOf(innerType ?? from) ?? (typeof type === 'string' ? type : undefined);
}
