import { toPydanticDetail } from '@lachesis/protocol';
import type { FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { bytesOf, type BodyRules } from '../../http/read-body.ts';
import { DEFAULT_BODY_BYTES } from '../../http/route.ts';
import { isNotJson } from '../../http/json/json-reader.ts';

type PydanticDetail = ReturnType<typeof toPydanticDetail>;

const unzip = promisify(gunzip);

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

/** How the original's framework reads the small bodies, and what it answers to those it cannot. */
export const ATROPOS_BODY: BodyRules = {
  async prepare(request) {
    const bytes = await inflate(request);
    if (bytes.length > 0 && !isJsonContentType(request)) {
      throw refuseBody('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from');
    }
    return bytes;
  },
  empty() {
    throw refuseBody('missing', 'Field required');
  },
  refuseUnreadable: (error, bytes) =>
    isNotJson(error) && isUtf8(bytes)
      ? refuseBody('json_invalid', 'JSON decode error')
      : refuseBody('value_error', 'There was an error parsing the body', 400),
  refuseMisfit: (issues) => new AtroposRefusal(422, toPydanticDetail(issues)),
};

async function inflate(request: FastifyRequest): Promise<Uint8Array> {
  const bytes = bytesOf(request);
  if (readEncoding(request) === 'identity' || bytes.length === 0) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: DEFAULT_BODY_BYTES });
  } catch {
    throw new AtroposRefusal(400, 'Invalid gzip payload');
  }
}
