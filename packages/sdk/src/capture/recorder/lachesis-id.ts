import { HEADERS, isRecord } from '@lachesis/protocol';

/** Under what a recorded reply is found, and rated: also before its record is in the store. */
export interface LachesisId {
  trajectoryId: string;
  turnId: string;
}

/** Parsed replies, and the signals of streams. */
const byObject = new WeakMap<object, LachesisId>();
/** By the id of the response; null where a server gave several of them one id. */
const byResponse = new Map<string, LachesisId | null>();
/** Replies that somebody may still ask for. */
const MOST = 10_000;

/** The ids of a recorded reply: of the `openai` client, whole, streamed or a piece of it, of the AI SDK, or a `Response`. Null for one that was not recorded. */
export function lachesisIdOf(reply: unknown): LachesisId | null {
  if (typeof reply !== 'object' || reply === null) return null;
  const { headers, response, controller, id } = reply as Record<string, unknown>;
  const around = isRecord(response) ? response : {};
  const signal = controller instanceof AbortController ? byObject.get(controller.signal) : undefined;
  const found = byObject.get(reply) ?? readIdHeaders(headers) ?? readIdHeaders(around['headers']) ?? signal;
  if (found !== undefined) return found;
  const name = typeof id === 'string' ? id : around['id'];
  return typeof name === 'string' ? (byResponse.get(name) ?? null) : null;
}

export function noteReply(reply: unknown, id: LachesisId): void {
  if (typeof reply === 'object' && reply !== null) byObject.set(reply, id);
}

export function noteResponseId(name: string, id: LachesisId): void {
  const known = byResponse.get(name);
  byResponse.set(name, known === undefined || known?.turnId === id.turnId ? id : null);
  const [oldest] = byResponse.keys();
  if (byResponse.size > MOST && oldest !== undefined) byResponse.delete(oldest);
}

/** The ids in the headers of a reply, which are `Headers` or an object. */
export function readIdHeaders(headers: unknown): LachesisId | undefined {
  const get = (name: string): unknown =>
    headers instanceof Headers ? headers.get(name) : isRecord(headers) ? headers[name] : undefined;
  const [trajectoryId, turnId] = [get(HEADERS.trajectoryId), get(HEADERS.turnId)];
  return typeof trajectoryId === 'string' && typeof turnId === 'string' ? { trajectoryId, turnId } : undefined;
}

export const toIdHeaders = ({ trajectoryId, turnId }: LachesisId): Record<string, string> => ({
  [HEADERS.trajectoryId]: trajectoryId,
  [HEADERS.turnId]: turnId,
});
