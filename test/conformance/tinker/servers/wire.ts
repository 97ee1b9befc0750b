export interface Sent {
  readonly path: string;
  /** Parsed JSON, or undefined for protobuf. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** What happens to the next request of a path. */
export interface Tampering {
  readonly path: string;
  /** The request is carried out and its reply does not arrive. What it said is given to `onLost`. */
  readonly loseReply?: boolean;
  readonly onLost?: (body: Record<string, unknown>) => void;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The `fetch` of a client under test: keeps what was sent, and changes a request or a reply where a case asks for it. */
export class Wire {
  readonly sent: Sent[] = [];
  readonly #pending: Tampering[] = [];
  /** Changes the JSON of every request; for clients with a seeded fault. */
  changeRequest: ((path: string, json: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Changes the JSON of every reply. */
  changeReply: ((path: string, json: Record<string, unknown>) => Record<string, unknown>) | undefined;

  /** Once, for the next request of that path. */
  tamper(tampering: Tampering): void {
    this.#pending.push(tampering);
  }

  count(path: string): number {
    return this.sent.filter((each) => each.path === path).length;
  }

  /** The last request of a path as it was sent. */
  last(path: string): Sent | undefined {
    return this.sent.findLast((each) => each.path === path);
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const path = url.pathname.replace(/^\/api\/v1\//, '');
    let { body } = init;
    let json: Record<string, unknown> | undefined;
    if (typeof body === 'string') {
      json = JSON.parse(body) as Record<string, unknown>;
      if (this.changeRequest !== undefined) json = this.changeRequest(path, json);
      body = JSON.stringify(json);
    }
    this.sent.push({ path, json });
    const index = this.#pending.findIndex((each) => each.path === path);
    const tampering = index < 0 ? undefined : this.#pending.splice(index, 1)[0];
    const headers = { ...(init.headers as Record<string, string>), ...tampering?.headers };
    const response = await fetch(url, { ...init, headers, ...(body === undefined ? {} : { body }) });
    if (tampering?.loseReply === true) {
      const text = await response.text();
      tampering.onLost?.(JSON.parse(text) as Record<string, unknown>);
      throw Object.assign(new TypeError('the reply is lost'), { cause: { code: 'ECONNRESET' } });
    }
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    if (this.changeReply === undefined || !isJson) return response;
    const changed = this.changeReply(path, (await response.json()) as Record<string, unknown>);
    return Response.json(changed, { status: response.status });
  };
}
