/** A request before it is framed: what an honest client would send, or nearly. */
export interface Draft {
  method: string;
  /** With query. */
  path: string;
  headers: [name: string, value: string][];
  body: Buffer | null;
}

/** One request as bytes, and what may be expected of the server. */
export interface FuzzCase {
  /** The route it was made for, as in the OpenAPI document. */
  readonly route: string;
  /** The run it was made for. */
  readonly run: string;
  /** Sent one after the other with a pause between them. */
  readonly pieces: readonly Buffer[];
  readonly pauseMs: number;
  /**
   * orderly: a well-formed request, which must be answered, and the connection goes on after it.
   * disorderly: it may be answered or cut off, and the connection is done.
   * waiting: well-formed, but the server may rightly wait for longer than we do.
   */
  readonly manner: 'orderly' | 'disorderly' | 'waiting';
  /** Requests in the bytes. */
  readonly requests: number;
}
