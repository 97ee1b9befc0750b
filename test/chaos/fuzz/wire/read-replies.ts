export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  /** The server takes no other request on this connection. */
  readonly closes: boolean;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * The whole replies at the start of what a connection has sent so far. Only as much HTTP as our server speaks: a length
 * or chunks. Throws when the bytes cannot be the start of a reply.
 */
export function readReplies(received: Buffer): Reply[] {
  const replies: Reply[] = [];
  for (let at = 0; at < received.length;) {
    const headEnd = received.indexOf(HEAD_END, at);
    if (headEnd < 0) break;
    const head = received.toString('latin1', at, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not a reply: ${JSON.stringify(head.slice(0, 100))}`);
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = findBodyEnd(received, bodyStart, head, status);
    if (bodyEnd === null) break;
    if (status >= 200) {
      replies.push({ status, body: received.subarray(bodyStart, bodyEnd), closes: /^connection: *close/im.test(head) });
    }
    at = bodyEnd;
  }
  return replies;
}

/** Null while the end has not come. */
function findBodyEnd(received: Buffer, start: number, head: string, status: number): number | null {
  if (status < 200 || status === 204 || status === 304) return start;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= received.length ? end : null;
  }
  // A refusal below HTTP (a broken request line, say) has no length; the server closes after it.
  if (!/^transfer-encoding: *chunked/im.test(head)) return received.length;
  for (let at = start; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > received.length) return null;
    if (size === 0) return at;
  }
}
