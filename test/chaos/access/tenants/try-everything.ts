import { call } from '../subject/call.ts';
import type { ServedRoute, Server } from '../subject/open-servers.ts';
import type { Things } from './make-things.ts';

export interface TriedCalls {
  readonly calls: number;
  /** Calls whose reply had something of the other tenant in it. */
  readonly leaks: readonly string[];
}

/** What is sent besides the path, so that a call does what it can do. */
const bodiesOf = ({ ids, canary }: Things): readonly (readonly [RegExp, object])[] => [
  [/\/tags$/, { add: ['stolen'], consent: 'keep' }],
  [/^\/v1\/forget$/, { user: canary }],
  [
    /^\/v1\/feedback$/,
    { trajectory_id: ids['trajectory'], author: 'x', author_kind: 'person', kind: 'thumb', is_up: false },
  ],
  [/\/(ack|renew)$/, { epoch: Number(ids['epoch']) }],
  [/\/nack$/, { epoch: Number(ids['epoch']), reason: 'stolen' }],
  [/chat\/completions$/, { model: 'toy', messages: [{ role: 'user', content: 'what did others say?' }] }],
  [/completions$/, { model: 'toy', prompt: 'what did others say?' }],
];

const QUERIES: readonly (readonly [RegExp, (things: Things) => string])[] = [
  [/^\/v1\/events$/, () => '?follow=0'],
  [/^\/v1\/trajectories$/, ({ canary }) => `?text=${canary}`],
  [/\/groups$/, ({ ids }) => `?epoch=${ids['epoch']}`],
];

/** Every route of a server with the ids of another tenant in it. */
export async function tryEverything(server: Server, token: string, theirs: Things): Promise<TriedCalls> {
  const headers = { authorization: `Bearer ${token}` };
  const leaks: string[] = [];
  let calls = 0;
  for (const route of server.routes) {
    if (server.name === 'mcp') continue;
    for (const path of pathsOf(route, theirs)) {
      const body = route.method === 'GET' ? undefined : JSON.stringify(findBody(route, theirs));
      const { text } = await call({ url: `${server.url}${path}`, method: route.method, headers, body });
      calls += 1;
      // What was asked for may be said back.
      if (text.replaceAll(path, '').includes(theirs.canary))
        leaks.push(`${server.name} ${route.method} ${path}: ${text.slice(0, 200)}`);
    }
  }
  return { calls, leaks };
}

function fill(route: ServedRoute, { ids }: Things): string {
  const of = (name: string): string => {
    if (name === 'role') return 'env';
    if (name === 'ref') return 'theirs@1';
    if (name === 'name') return 'toy';
    if (name === 'batch') return ids['batch'] ?? '';
    if (name === 'trajectory') return ids['key'] ?? '';
    if (route.path.startsWith('/runs/') || route.path.startsWith('/test/')) return ids['run'] ?? '';
    return (route.path.startsWith('/v1/feedback') ? ids['feedback'] : ids['trajectory']) ?? '';
  };
  const path = route.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(of(name)));
  return `${route.perRun ? '/run/shared' : ''}${route.perRun && path === '/' ? '' : path}`;
}

/** With the queries that find something, and without; what would go on for ever only with the one that ends it. */
function pathsOf(route: ServedRoute, theirs: Things): string[] {
  const plain = fill(route, theirs);
  const asked = QUERIES.filter(([pattern]) => pattern.test(route.path)).map(([, query]) => plain + query(theirs));
  return route.path === '/v1/events' ? asked : [plain, ...asked];
}

function findBody(route: ServedRoute, theirs: Things): object {
  return bodiesOf(theirs).find(([pattern]) => pattern.test(route.path))?.[1] ?? {};
}
