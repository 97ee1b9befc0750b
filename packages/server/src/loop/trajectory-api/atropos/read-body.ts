import { LachesisError, toPydanticDetail, type PydanticDetail } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { z } from 'zod';
import { JSON_LIMITS } from '../../../platform/json/json-limits.ts';
import { measureJson } from '../../../platform/json/measure-json.ts';

const inflate = promisify(gunzip);

/** Registrations and identifiers are a few hundred bytes; a larger one is no client of ours. */
const MAX_SMALL_BODY_BYTES = 64 * 1024;

export type BodyEncoding = 'identity' | 'gzip';

/** As the original: any mention of gzip means gzip; anything else is read as it is, and then fails as JSON. */
export function readEncoding(request: FastifyRequest): BodyEncoding {
  return request.headers['content-encoding']?.toLowerCase().includes('gzip') === true ? 'gzip' : 'identity';
}

export function isJsonContentType(request: FastifyRequest): boolean {
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';', 1);
  return /^application\/(?:[^\s/]+\+)?json$/.test(type.trim());
}

/** A refusal in the shape of the original's framework. */
export class AtroposRefusal extends Error {
  override readonly name = 'AtroposRefusal';
  readonly status: number;
  readonly body: PydanticDetail | string;

  constructor(status: number, body: PydanticDetail | string) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

export function refuseBody(type: string, msg: string, status = 422): AtroposRefusal {
  return new AtroposRefusal(status, { detail: [{ type, loc: ['body'], msg }] });
}

/** Reads and checks one of the small JSON bodies. */
export async function readSmallBody<S extends z.ZodType>(request: FastifyRequest, schema: S): Promise<z.output<S>> {
  const bytes = await readSmallBytes(request);
  if (bytes.length === 0) throw refuseBody('missing', 'Field required');
  if (!isJsonContentType(request)) {
    throw refuseBody('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from');
  }
  const isReadable = isUtf8(bytes) && measureJson(bytes, { limits: JSON_LIMITS }).excess === undefined;
  if (!isReadable) throw refuseBody('value_error', 'There was an error parsing the body', 400);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw refuseBody('json_invalid', 'JSON decode error');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AtroposRefusal(422, toPydanticDetail(parsed.error.issues));
}

async function readSmallBytes(request: FastifyRequest): Promise<Uint8Array> {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (body.length > MAX_SMALL_BODY_BYTES) {
    throw new LachesisError({ code: 'too-large', message: `this request takes at most ${MAX_SMALL_BODY_BYTES} bytes` });
  }
  const encoding = readEncoding(request);
  if (encoding === 'identity' || body.length === 0) return body;
  try {
    return await inflate(body, { maxOutputLength: MAX_SMALL_BODY_BYTES });
  } catch {
    throw new AtroposRefusal(400, 'Invalid gzip payload');
  }
}
