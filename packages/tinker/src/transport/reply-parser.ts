import type { HttpAnswer, ReplyHeaders } from './reply.ts';

/** As much as Node's own parser takes. */
const MAX_HEAD_BYTES = 16 * 1024;
/** A result of a batch is some ten megabytes; nothing that is asked for here comes near. */
const MAX_REPLY_BYTES = 2 ** 30;
/** A line with the size of a chunk, its extensions included. */
const MAX_LINE_BYTES = 4 * 1024;

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

/** A whole answer, and whether another request may follow on its connection. */
export interface ParsedReply {
  answer: HttpAnswer;
  isReusable: boolean;
}

/** What is not HTTP/1.1, or more than is taken. */
export class ReplySyntaxError extends Error {
  readonly code = 'HPE_INVALID_REPLY';
}

/** How a body ends: after so many bytes, with a last chunk, or with the connection. */
type BodyEnd = 'length' | 'chunks' | 'close';

/**
 * Reads one answer of HTTP/1.1 from the pieces of a connection (RFC 9112). Strict where two readers could disagree about
 * where an answer ends: such an answer is refused and its connection with it.
 */
export class ReplyParser {
  /** Bytes of a head or of a chunk's line that is not whole yet. */
  #unread: Buffer = NOTHING;
  #head: Head | undefined;
  #end: BodyEnd = 'length';
  /** Bytes that are left of the body or of the chunk. */
  #left = 0;
  /** In a chunked body: what comes next. */
  #next: 'size' | 'data' | 'data-end' | 'trailers' = 'size';
  #pieces: Buffer[] = [];
  #size = 0;

  /** Whether anything of an answer has come. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#unread.byteLength > 0;
  }

  /** Takes the next bytes; returns the answer once it is whole. */
  push(bytes: Buffer): ParsedReply | undefined {
    let rest = bytes;
    while (this.#head === undefined) {
      const text = this.#unread.byteLength === 0 ? rest : Buffer.concat([this.#unread, rest]);
      const end = text.indexOf(HEAD_END);
      if (end < 0 ? text.byteLength > MAX_HEAD_BYTES : end > MAX_HEAD_BYTES) {
        throw new ReplySyntaxError('the head of the answer is too large');
      }
      if (end < 0) {
        this.#unread = text;
        return undefined;
      }
      this.#unread = NOTHING;
      rest = text.subarray(end + HEAD_END.byteLength);
      const head = readHead(text.toString('latin1', 0, end));
      if (head.status === 101) throw new ReplySyntaxError('the server changed the protocol unasked');
      // 100 and its like announce the answer that follows.
      if (head.status >= 200) this.#begin(head);
    }
    if (this.#end === 'chunks') return this.#readChunks(rest);
    if (this.#end === 'close') {
      this.#take(rest);
      return undefined;
    }
    // What stands behind the end was not asked for: the connection is not trusted any more.
    const hasMore = rest.byteLength > this.#left;
    const piece = hasMore ? rest.subarray(0, this.#left) : rest;
    this.#left -= piece.byteLength;
    this.#take(piece);
    return this.#left === 0 ? this.#finish(hasMore) : undefined;
  }

  /** The connection ended: the answer, where that is how it ends. */
  end(): ParsedReply | undefined {
    return this.#head !== undefined && this.#end === 'close' ? this.#finish(true) : undefined;
  }

  #begin(head: Head): void {
    this.#head = head;
    const { status, headers } = head;
    const coding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    if (status === 204 || status === 304) {
      this.#left = 0;
    } else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked') throw new ReplySyntaxError('the body has an unknown transfer coding');
      if (length !== undefined) throw new ReplySyntaxError('the body has both a length and chunks');
      this.#end = 'chunks';
    } else if (length === undefined) {
      this.#end = 'close';
    } else {
      if (!/^\d{1,15}$/.test(length)) throw new ReplySyntaxError('the length of the body is no number');
      this.#left = Number(length);
      if (this.#left > MAX_REPLY_BYTES) throw new ReplySyntaxError('the answer is too large');
    }
  }

  #take(piece: Buffer): void {
    this.#size += piece.byteLength;
    if (this.#size > MAX_REPLY_BYTES) throw new ReplySyntaxError('the answer is too large');
    if (piece.byteLength > 0) this.#pieces.push(piece);
  }

  #readChunks(bytes: Buffer): ParsedReply | undefined {
    let rest = bytes;
    for (;;) {
      if (this.#next === 'data') {
        const piece = rest.subarray(0, this.#left);
        this.#take(piece);
        this.#left -= piece.byteLength;
        rest = rest.subarray(piece.byteLength);
        if (this.#left > 0) return undefined;
        this.#next = 'data-end';
      }
      const text = this.#unread.byteLength === 0 ? rest : Buffer.concat([this.#unread, rest]);
      const end = text.indexOf(LINE_END);
      if (end < 0 ? text.byteLength > MAX_LINE_BYTES : end > MAX_LINE_BYTES) {
        throw new ReplySyntaxError('a line among the chunks is too long');
      }
      if (end < 0) {
        this.#unread = text;
        return undefined;
      }
      this.#unread = NOTHING;
      rest = text.subarray(end + LINE_END.byteLength);
      const line = text.toString('latin1', 0, end);
      if (this.#next === 'trailers') {
        // Trailers are read past; an empty line is the end.
        if (line === '') return this.#finish(rest.byteLength > 0);
      } else if (this.#next === 'data-end') {
        if (line !== '') throw new ReplySyntaxError('a chunk is longer than it says');
        this.#next = 'size';
      } else {
        const size = /^(?<size>[\da-f]{1,8})[\t ]*(?:;.*)?$/i.exec(line)?.groups?.['size'];
        if (size === undefined) throw new ReplySyntaxError('the size of a chunk is no number');
        this.#left = Number.parseInt(size, 16);
        this.#next = this.#left === 0 ? 'trailers' : 'data';
      }
    }
  }

  #finish(mustClose: boolean): ParsedReply {
    const { status, headers, isPersistent } = this.#head!;
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#head = undefined;
    this.#end = 'length';
    this.#next = 'size';
    this.#pieces = [];
    this.#size = 0;
    return { answer: { status, headers: toHeaders(headers), bytes }, isReusable: isPersistent && !mustClose };
  }
}

interface Head {
  status: number;
  headers: ReadonlyMap<string, string>;
  /** Whether the server leaves the connection open. */
  isPersistent: boolean;
}

function readHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n');
  const { minor, status } = /^HTTP\/1\.(?<minor>[01]) (?<status>[1-9]\d\d)(?: .*)?$/.exec(first)?.groups ?? {};
  if (status === undefined) throw new ReplySyntaxError('the answer does not begin as HTTP/1.1 does');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
    // Folded lines and spaces before the colon are what readers disagree about.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\0\r\n]/.test(line)) {
      throw new ReplySyntaxError('a header of the answer is malformed');
    }
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    // Two lengths that say the same are still one too many.
    if (earlier !== undefined && name === 'content-length') throw new ReplySyntaxError('the body has two lengths');
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  const connection = headers.get('connection')?.toLowerCase() ?? '';
  const isPersistent = minor === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
  return { status: Number(status), headers, isPersistent };
}

const toHeaders = (headers: ReadonlyMap<string, string>): ReplyHeaders => ({
  get: (name) => headers.get(name) ?? null,
});
