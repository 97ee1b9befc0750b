import { TinkerProtocolError } from '../errors/client-errors.ts';

const text = new TextDecoder();

/** What an answer's headers are asked for, by names in lower case. */
export interface ReplyHeaders {
  get(name: string): string | null;
}

export interface HttpAnswer {
  status: number;
  headers: ReplyHeaders;
  bytes: Uint8Array;
}

/** One answer of the server, read to its end. */
export class Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;

  constructor({ status, headers, bytes }: HttpAnswer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get isOk(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get isProtobuf(): boolean {
    return (this.headers.get('content-type') ?? '').includes('protobuf');
  }

  /** The body as JSON; an empty body is `undefined`. */
  json(): unknown {
    if (this.bytes.byteLength === 0) return undefined;
    try {
      return JSON.parse(text.decode(this.bytes)) as unknown;
    } catch (cause) {
      throw new TinkerProtocolError({ status: this.status, reason: 'the body is no JSON', cause });
    }
  }

  /** The body as JSON, or `undefined` when it is something else, as error pages of proxies are. */
  tryJson(): unknown {
    try {
      return this.json();
    } catch (error) {
      if (TinkerProtocolError.isInstance(error)) return undefined;
      throw error;
    }
  }
}
