import type { z } from 'zod';

/** What a server tells of an answer before it is sent, as far as it is looked at here. */
export interface ToldAnswer {
  readonly route: {
    readonly method: string;
    readonly path: string;
    readonly reply: { readonly contentType: string; readonly schema?: z.ZodType };
  };
  readonly answer: unknown;
}

/** The channel that `defineRoute` tells every answer on. */
export const ANSWERS = 'lachesis:route-answer';

/** What an answer says that its document does not: a value that does not fit, or a field that is not in it. */
export function findUndocumented({ route, answer }: ToldAnswer): string | undefined {
  const { method, path, reply } = route;
  // Nothing to hold it against: a stream or text, or a reply that the handler has sent.
  if (reply.schema === undefined || reply.contentType !== 'application/json' || answer === undefined) return undefined;
  const sent: unknown = JSON.parse(JSON.stringify(answer));
  const parsed = reply.schema.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${method} ${path} answered what its document does not say: ${issue?.path.join('.')} ${issue?.message}`;
  }
  const lost = findLost(sent, parsed.data);
  return lost === undefined
    ? undefined
    : `${method} ${path} answered the field ${lost}, which its document does not have`;
}

/** The first field that the schema did not take over. */
function findLost(sent: unknown, read: unknown, place: readonly string[] = []): string | undefined {
  if (!isObject(sent)) return undefined;
  if (!isObject(read)) return place.join('.');
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(read, name)) return [...place, name].join('.');
    const lost = findLost(value, read[name], [...place, name]);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
