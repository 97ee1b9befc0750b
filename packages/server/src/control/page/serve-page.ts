import { LachesisError } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { extname } from 'node:path';
import { addVary } from '../../http/compress-json.ts';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { prefersHtml } from './prefers-html.ts';
import { readPageFile } from './read-page-file.ts';

/** Addresses that are for programs alone: a person who opens one wants to see what it answers. */
const FOR_PROGRAMS = /^\/(v1|assets|config|health|metrics|openapi\.json|test)(\/|$)/;

/** The build gives each file a name that holds its hash. */
const ASSET_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}$/;
const A_YEAR = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const HTML = 'text/html; charset=utf-8';

/** In a checkout the page is built by hand; the packages carry it. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Lachesis</title>
<main>
<h1>The page is not built yet</h1>
<p>This server answers, and its page is made from the sources of this checkout:</p>
<pre>pnpm install
pnpm --filter dashboard build</pre>
<p>Then load this address again. The same things in the terminal: <code>lachesis runs watch</code>, <code>lachesis trajectories list</code>, <code>lachesis rate</code>.</p>
</main>
</html>
`;

export interface Page {
  /** Answers a browser that opens an address; undefined for everybody else, who get what the routes answer. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  routes: Route[];
}

/** The page of this server, from the folder it was built into. */
export function createPage(folder: string): Page {
  return {
    async answer(request, reply) {
      if (request.method !== 'GET') return undefined;
      const [path = '/'] = request.url.split('?', 1);
      if (FOR_PROGRAMS.test(path)) return undefined;
      const { accept, 'accept-encoding': acceptEncoding } = request.headers;
      // Caches between us and a browser must not give one what is for the other.
      reply.header('vary', addVary(reply.getHeader('vary'), 'accept'));
      if (!prefersHtml(accept)) return undefined;
      const file = await readPageFile({ folder, name: 'index.html', acceptEncoding });
      reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache' }).type(HTML);
      if (file === undefined) return reply.code(503).send(NOT_BUILT);
      return sendFile(reply, file);
    },
    routes: [
      defineRoute({
        method: 'GET',
        path: '/assets/:file',
        scope: 'public',
        summary: 'A file of the page; its name holds its hash, so that it is fetched once.',
        reply: sentByHand('application/octet-stream'),
        handle: async ({ params, request, reply }) => {
          const name = params.file;
          const acceptEncoding = request.headers['accept-encoding'];
          const file = ASSET_NAME.test(name)
            ? await readPageFile({ folder, name: `assets/${name}`, acceptEncoding })
            : undefined;
          if (file === undefined) throw missingAsset(name);
          reply.headers({ ...PAGE_HEADERS, 'cache-control': A_YEAR, vary: 'accept-encoding' });
          return sendFile(reply.type(TYPES[extname(name)] ?? 'application/octet-stream'), file);
        },
      }),
    ],
  };
}

function sendFile(
  reply: FastifyReply,
  { bytes, encoding }: NonNullable<Awaited<ReturnType<typeof readPageFile>>>,
): FastifyReply {
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.send(bytes);
}

const missingAsset = (name: string): LachesisError =>
  new LachesisError({
    code: 'not-found',
    message: `the page has no file ${JSON.stringify(name.slice(0, 100))}`,
    hint: 'A page that was open while the server was upgraded asks for files of the version before: load it again.',
  });
