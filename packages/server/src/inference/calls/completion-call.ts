import { HEADERS, LachesisError } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a completion knows about its caller. */
export interface CompletionCall {
  /** Ends when the caller hangs up. */
  readonly signal: AbortSignal;
  /** One id for all samples, or one each; undefined when the caller gave none. */
  readonly rolloutIds: readonly string[] | undefined;
  /** The only version the caller takes. */
  readonly wantedPolicy: number | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads the headers of a completion and watches its connection. The ids go back with the reply. */
export function readCompletionCall(request: FastifyRequest, reply: FastifyReply): CompletionCall {
  const rolloutIds = readRolloutIds(headerOf(request, HEADERS.rolloutId));
  if (rolloutIds !== undefined) reply.header(HEADERS.rolloutId, rolloutIds.join(','));
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  // Who left before we listened has closed already.
  if (reply.raw.closed) gone.abort();
  return { signal: gone.signal, rolloutIds, wantedPolicy: readPolicy(headerOf(request, HEADERS.policy)) };
}

/** The rollout of one sample. */
export function rolloutIdOf({ rolloutIds }: CompletionCall, index: number): { rollout_id: string } | undefined {
  const id = rolloutIds?.length === 1 ? rolloutIds[0] : rolloutIds?.[index];
  return id === undefined ? undefined : { rollout_id: id };
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

function readRolloutIds(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => UUID.test(id))) return ids;
  throw badHeader(HEADERS.rolloutId, 'is not a UUID, nor UUIDs separated by commas');
}

function readPolicy(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badHeader(HEADERS.policy, 'is not the number of a policy version');
}

const badHeader = (field: string, message: string): LachesisError =>
  new LachesisError({
    code: 'bad-request',
    message: `the header ${field} ${message}`,
    issues: [{ sequence: null, field, message }],
  });
