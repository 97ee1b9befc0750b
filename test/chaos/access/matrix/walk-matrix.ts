import { hasScope } from '@lachesis/protocol';

import { call } from '../subject/call.ts';
import type { ServedRoute, Server } from '../subject/open-servers.ts';
import type { Credential } from './make-credentials.ts';

export type Outcome = 'admitted' | 'unauthorized' | 'forbidden' | 'absent' | `status ${number}`;

export interface MatrixResult {
  readonly cells: number;
  readonly wrong: readonly string[];
}

const RUN = 'matrix';
const ID = '0192aaaa-0000-7000-8000-000000000000';
const AT_ONCE = 12;
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'access', version: '1' } },
});

interface Cell {
  server: Server;
  route: ServedRoute;
  path: string;
  /** The run the path is about. */
  run: string | undefined;
  credential: Credential;
}

/** Every route of a server with every credential, each judged by what the route declares. */
export async function walkMatrix(server: Server, credentials: readonly Credential[]): Promise<MatrixResult> {
  const cells = server.routes.flatMap((route) =>
    pathsOf(server, route).flatMap((place) =>
      credentials.map((credential): Cell => ({ server, route, ...place, credential })),
    ),
  );
  const wrong: string[] = [];
  const queue = cells.values();
  const work = async (): Promise<void> => {
    for (const cell of queue) {
      const expected = judge(cell);
      const outcome = await ask(cell);
      if (outcome !== expected) {
        const { route, path, credential } = cell;
        wrong.push(`${server.name} ${route.method} ${path} with ${credential.name}: ${outcome}, not ${expected}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { cells: cells.length, wrong };
}

function pathsOf(server: Server, route: ServedRoute): { path: string; run: string | undefined }[] {
  const own = route.path.replaceAll(/:[a-z_]+/g, (parameter) => (parameter === ':role' ? 'api' : ID));
  const filled = route.path === '/v1/events' ? `${own}?follow=0` : own;
  const run = route.runParameter === undefined ? server.run : ID;
  if (!route.perRun) return [{ path: filled, run }];
  return [
    { path: filled, run: 'default' },
    { path: `/run/${RUN}${filled === '/' ? '' : filled}`, run: RUN },
  ];
}

/** What must come out, said once more and apart from the code that decides it. */
function judge({ server, route, run, credential }: Cell): Outcome {
  const { grants, pathKey, tenant } = credential;
  if (server.name === 'mcp') {
    if (pathKey !== undefined) return 'absent';
    return grants === undefined ? 'unauthorized' : 'admitted';
  }
  // What is shown there has to be a code, and a token is none.
  if (route.method === 'POST' && route.path === '/v1/session') return 'unauthorized';
  if (route.scope === 'public') return 'admitted';
  if (grants === undefined) return 'unauthorized';
  if (pathKey !== undefined) {
    const isNarrow = grants.every((scope) => scope === 'inference:call');
    if (!server.takesPathKeys || route.scope !== 'inference:call' || !isNarrow) return 'forbidden';
  }
  if (!hasScope(grants, route.scope)) return 'forbidden';
  if (server.tenant !== undefined && tenant !== server.tenant) return 'forbidden';
  return credential.run === null || credential.run === run ? 'admitted' : 'forbidden';
}

async function ask({ server, route, path, credential }: Cell): Promise<Outcome> {
  const prefix = credential.pathKey === undefined ? '' : `/key/${credential.pathKey}`;
  const isMcp = server.name === 'mcp';
  const { status, text } = await call({
    url: `${server.url}${prefix}${path}`,
    method: route.method,
    headers: { ...credential.headers, ...(isMcp ? { accept: 'application/json, text/event-stream' } : {}) },
    body: isMcp && route.method === 'POST' ? INITIALIZE : undefined,
  });
  if (credential.pathKey !== undefined && text.includes(credential.pathKey)) return `status ${status}`;
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (isMcp && credential.pathKey !== undefined && status === 404) return 'absent';
  // What an admitted caller is told about an empty body is up to the route; it is never a fault of ours.
  return status < 500 ? 'admitted' : `status ${status}`;
}
