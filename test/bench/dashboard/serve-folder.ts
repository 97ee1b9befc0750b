import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The policy of the real page: no style in the markup, no string that becomes a script. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...[
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ],
].join('; ');

/** Files of a folder on a free port of this machine, under the policy of the page. */
export async function serveFolder(context: ScenarioContext, folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = path.join(folder, name === '/' ? 'index.html' : path.normalize(name));
    readFile(file).then(
      (body) => {
        response.writeHead(200, {
          'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
          'content-security-policy': POLICY,
        });
        response.end(body);
      },
      () => {
        // The browser asks for an icon by itself; nothing else is missing.
        response.writeHead(name === '/favicon.ico' ? 204 : 404);
        response.end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
