/*
 * Clients with one safeguard taken out. Each is the client itself over a `fetch` that undoes the safeguard on the wire, so
 * nothing in the product knows of it.
 */

interface Sent {
  readonly path: string;
  readonly fields: Record<string, unknown>;
  readonly idempotencyKey: string | null;
}

const send = (url: string, init: RequestInit, fields: Record<string, unknown>): Promise<Response> =>
  fetch(url, { ...init, body: JSON.stringify(fields) });

const urlOf = (input: Parameters<typeof fetch>[0]): string => (input instanceof Request ? input.url : input.toString());

/** Reads what can be changed; protobuf is passed on as it is. */
function readSent(url: string, init: RequestInit): Sent | undefined {
  if (typeof init.body !== 'string') return undefined;
  return {
    path: url.replace(/^.*\/api\/v1\//, ''),
    fields: JSON.parse(init.body) as Record<string, unknown>,
    idempotencyKey: new Headers(init.headers).get('x-idempotency-key'),
  };
}

type Exchange = (sent: Sent, forward: (fields: Record<string, unknown>) => Promise<Response>) => Promise<Response>;

const mutate =
  (exchange: Exchange): typeof fetch =>
  (input, init = {}) => {
    const url = urlOf(input);
    const sent = readSent(url, init);
    return sent === undefined ? fetch(url, init) : exchange(sent, (fields) => send(url, init, fields));
  };

/** Uses a number up by every attempt, and does not read from a refusal which one the server waits for. */
export function withoutResynchronisation(): typeof fetch {
  let burnt = 0;
  return mutate(async ({ path, fields }, forward) => {
    if (path === 'optim_step') {
      const response = await forward({ ...fields, seq_id: Number(fields['seq_id']) + burnt });
      if (!response.ok) burnt += 1;
      return response;
    }
    const response = await forward(fields);
    if (response.status !== 409) return response;
    return Response.json({ detail: 'Failed to retrieve future' }, { status: 409 });
  });
}

/** Sends an operation whose reply was lost again under a number of its own. */
export function withFreshNumbers(): typeof fetch {
  const seen = new Set<string>();
  let ahead = 0;
  return mutate(({ path, fields, idempotencyKey }, forward) => {
    if (path !== 'optim_step') return forward(fields);
    if (seen.has(idempotencyKey ?? '')) ahead += 1;
    seen.add(idempotencyKey ?? '');
    return forward({ ...fields, seq_id: Number(fields['seq_id']) + ahead });
  });
}

/** Waits for the answer to a poll for as long as it takes. */
export const withoutPollDeadline = (): typeof fetch => (input, init) => {
  const { signal: _signal, ...rest } = init ?? {};
  return fetch(input, urlOf(input).endsWith('retrieve_future') ? rest : init);
};
