import type { Trick } from './trick.ts';

const HOST = 'allowed.example.com';
const FIRST = `POST http://${HOST}/ HTTP/1.1`;
const HIDDEN = 'GET http://127.0.0.1/smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

const post = (name: string, ...headers: string[]): Trick => ({
  name,
  isMalformed: true,
  lines: [FIRST, `Host: ${HOST}`, ...headers, '', `0\r\n\r\n${HIDDEN}`],
});

const message = (name: string, ...lines: string[]): Trick => ({ name, isMalformed: true, lines });

/** Messages that a proxy and a server could read differently. */
export const MESSAGE_TRICKS: readonly Trick[] = [
  post('two lengths', 'Content-Length: 5', 'Content-Length: 90'),
  post('two equal lengths', 'Content-Length: 5', 'Content-Length: 5'),
  post('a list of lengths', 'Content-Length: 5, 90'),
  post('a length with a sign', 'Content-Length: +5'),
  post('a length in hexadecimal', 'Content-Length: 0x5'),
  post('a negative length', 'Content-Length: -5'),
  post('a length with a blank in it', 'Content-Length: 5 0'),
  post('a length beyond numbers', 'Content-Length: 99999999999999999999999999'),
  post('a length and chunks', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
  post('chunks and a length', 'Transfer-Encoding: chunked', 'Content-Length: 5'),
  post('two codings', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
  post('a list of codings', 'Transfer-Encoding: identity, chunked'),
  post('chunked, then something', 'Transfer-Encoding: chunked, identity'),
  post('a coding that is nearly chunked', 'Transfer-Encoding: xchunked'),
  post('a coding in quotes', 'Transfer-Encoding: "chunked"'),
  post('a coding behind a control character', 'Transfer-Encoding: \u000bchunked'),
  post('a blank before the colon', 'Transfer-Encoding : chunked'),
  post('a length with a blank before the colon', 'Content-Length : 5'),
  post('a folded header', 'Transfer-Encoding:', ' chunked'),
  post('a name with a zero byte', 'Transfer\0-Encoding: chunked'),
  post('a value with a zero byte', 'X-Note: a\0b'),
  post('a bare line feed before a header', 'X-Note: a\nTransfer-Encoding: chunked'),
  post('a bare carriage return', 'X-Note: a\rTransfer-Encoding: chunked'),
  post('a length that Connection drops', 'Content-Length: 5', 'Connection: close, Content-Length'),
  post('a coding that Connection drops', 'Transfer-Encoding: chunked', 'Connection: Transfer-Encoding'),
  post('a host that Connection drops', 'Connection: host'),
  post('a second host', 'Host: 127.0.0.1'),
  message('another host', `GET http://${HOST}/ HTTP/1.1`, 'Host: 127.0.0.1', '', ''),
  message('another port', `GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}:8080`, '', ''),
  message('a host with a name before it', `GET http://${HOST}/ HTTP/1.1`, `Host: ${HOST}@127.0.0.1`, '', ''),
  message('no host', `GET http://${HOST}/ HTTP/1.1`, '', ''),
  message('an empty host', `GET http://${HOST}/ HTTP/1.1`, 'Host:', '', ''),
  message('a path and a host', 'GET / HTTP/1.1', `Host: ${HOST}`, '', ''),
  message('two slashes', `GET //${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('one slash', `GET http:/${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('no slash', `GET http:${HOST} HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('https without a tunnel', `GET https://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('another scheme', `GET ftp://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('a file', 'GET file:///etc/passwd HTTP/1.1', `Host: ${HOST}`, '', ''),
  message('a blank in the address', `GET http://${HOST}/ a HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('a password in the address', `GET http://a:b@${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('a version that is none', `GET http://${HOST}/ HTTP/9.9`, `Host: ${HOST}`, '', ''),
  message('no version', `GET http://${HOST}/`, '', ''),
  message('the preface of HTTP/2', 'PRI * HTTP/2.0', '', 'SM', '', ''),
  message('a method that echoes', `TRACE http://${HOST}/ HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('a tunnel to a path', `CONNECT ${HOST}:443/x HTTP/1.1`, `Host: ${HOST}:443`, '', ''),
  message('a tunnel to an address', `CONNECT http://${HOST}:443 HTTP/1.1`, `Host: ${HOST}:443`, '', ''),
  message('a tunnel without a port', `CONNECT ${HOST} HTTP/1.1`, `Host: ${HOST}`, '', ''),
  message('a tunnel to port 0', `CONNECT ${HOST}:0 HTTP/1.1`, `Host: ${HOST}:0`, '', ''),
  message('a tunnel to a port beyond', `CONNECT ${HOST}:65979 HTTP/1.1`, `Host: ${HOST}:65979`, '', ''),
  message('a tunnel with another host', `CONNECT ${HOST}:443 HTTP/1.1`, 'Host: 127.0.0.1:443', '', ''),
  message('a tunnel with a body', `CONNECT ${HOST}:443 HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6', '', ''),
  message('a tunnel to a mail server', `CONNECT ${HOST}:25 HTTP/1.1`, `Host: ${HOST}:25`, '', ''),
  {
    // The head is passed on before the body is read, and the body is not.
    name: 'a size of a chunk that is none',
    lines: [FIRST, `Host: ${HOST}`, 'Transfer-Encoding: chunked', '', `zz\r\n${HIDDEN}`],
  },
  {
    // Its own request, which is looked at like the first.
    name: 'a second request behind the first',
    lines: [FIRST, `Host: ${HOST}`, 'Content-Length: 0', '', HIDDEN],
  },
  {
    name: 'a second request behind chunks',
    lines: [FIRST, `Host: ${HOST}`, 'Transfer-Encoding: chunked', '', `0\r\n\r\n${HIDDEN}`],
  },
];
