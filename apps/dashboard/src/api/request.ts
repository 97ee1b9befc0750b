import { readToken } from './session.ts';

interface Refusal {
  status: number | undefined;
  code: string;
  message: string;
  hint: string | undefined;
  call: string;
}

/** A call that was refused or never answered, with what the server says to do next. */
export class RequestError extends Error {
  readonly status: number | undefined;
  /** A code of the wire, or `connection`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly call: string;

  constructor({ status, code, message, hint, call }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.call = call;
  }
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE' | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  accept?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** It is sent although the page that asks is being left. */
  isLast?: boolean | undefined;
}

/** Asks the server this page came from, and gives its answer once it is no refusal. */
export async function requestResponse(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, signal, accept = 'application/json', headers = {}, isLast = false } = options;
  const token = readToken();
  const call = `${method} ${path.split('?', 1)[0]}`;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      ...(isLast ? { keepalive: true } : {}),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new RequestError({
      status: undefined,
      code: 'connection',
      message: 'The server does not answer.',
      hint: 'Start it again with `lachesis up`; the page goes on by itself.',
      call,
    });
  }
  if (!response.ok) throw await readRefusal(response, call);
  return response;
}

/** The answer as what its route promises; the server checks what it sends, and the page does not check it again. */
export async function requestJson<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await (await requestResponse(path, options)).json()) as T;
}

/** A query without what is not set. */
export function writeQuery(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

async function readRefusal(response: Response, call: string): Promise<RequestError> {
  const { status } = response;
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; hint?: string } };
    return new RequestError({ status, code: error.code, message: error.message, hint: error.hint, call });
  } catch {
    // A proxy in between answers with a page of its own.
    return new RequestError({
      status,
      code: 'http',
      message: `The server answered with ${status}.`,
      hint: undefined,
      call,
    });
  }
}
