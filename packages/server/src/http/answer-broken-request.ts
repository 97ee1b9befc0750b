import type { ErrorBody } from '@lachesis/protocol';
import type { Socket } from 'node:net';

const REFUSALS: Readonly<Record<string, { line: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', message: 'the path and headers are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', message: 'the request took too long to arrive' },
};
const UNREADABLE = { line: '400 Bad Request', message: 'this is not an HTTP request' };

/**
 * Answers what could not be read as HTTP. Nothing after it on the connection can be trusted, so the reply says that the
 * connection ends: a client that reuses it would lose its next request.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // The client is gone, or a reply is under way that these bytes would fall into.
  const isAnswering = '_httpMessage' in socket && socket._httpMessage !== null;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { line, message } = REFUSALS[error.code ?? ''] ?? UNREADABLE;
  const body = JSON.stringify({ error: { code: 'bad-request', message } } satisfies ErrorBody);
  const head = `HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}
