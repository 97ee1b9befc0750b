import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';

import { createNamespaceProvider } from '../namespace/create-namespace-provider.ts';
import type { Sandbox } from '../sandbox.ts';

interface Exec {
  readonly sandbox: Sandbox;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly end: AbortController;
  exitCode: number | null;
}

export interface ContainerEngine {
  readonly socketPath: string;
  /** Bodies of the calls that made containers. */
  readonly made: Record<string, unknown>[];
  close(): Promise<void>;
}

/** Speaks as much of a container engine's interface as we use; its containers are namespace sandboxes. */
export async function startEngine(socketPath: string): Promise<ContainerEngine> {
  const provider = createNamespaceProvider();
  const containers = new Map<string, { sandbox: Sandbox; labels: Record<string, string> }>();
  const execs = new Map<string, Exec>();
  const made: Record<string, unknown>[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const answer = (status: number, body?: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? '' : JSON.stringify(body));
    };
    const serve = async (): Promise<void> => {
      const body = JSON.parse((await text(request)) || '{}') as Record<string, never>;
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine');
      const [, , kind = '', id = '', verb = ''] = pathname.split('/');
      if (kind === 'version') return answer(200, { Components: [{ Name: 'Stand-in Engine' }] });
      if (kind === 'containers' && id === 'create') {
        made.push(body);
        count += 1;
        containers.set(`c${count}`, {
          sandbox: await provider.create({ owner: 'engine' }),
          labels: body['Labels'] ?? {},
        });
        return answer(201, { Id: `c${count}` });
      }
      if (kind === 'containers' && id === 'json') {
        const wanted = JSON.parse(searchParams.get('filters') ?? '{}') as { label?: string[] };
        const found = [...containers].filter(([, each]) =>
          (wanted.label ?? []).every((label) => Object.entries(each.labels).some((pair) => pair.join('=') === label)),
        );
        return answer(
          200,
          found.map(([Id, { labels }]) => ({ Id, Labels: labels })),
        );
      }
      if (kind === 'containers') {
        const container = containers.get(id);
        if (container === undefined) return answer(404, { message: 'no such container' });
        if (request.method === 'DELETE') {
          containers.delete(id);
          await container.sandbox.destroy();
          return answer(204);
        }
        if (verb === 'start') return answer(204);
        count += 1;
        const pairs = (body['Env'] as unknown as string[]).map((pair) => [
          pair.split('=')[0],
          pair.slice(pair.indexOf('=') + 1),
        ]);
        execs.set(`e${count}`, {
          ...{ sandbox: container.sandbox, argv: body['Cmd'] ?? [], cwd: body['WorkingDir'] ?? '/work' },
          ...{
            env: Object.fromEntries(pairs) as Record<string, string>,
            end: new AbortController(),
            exitCode: null,
          },
        });
        return answer(201, { Id: `e${count}` });
      }
      const exec = execs.get(id);
      if (exec === undefined) return answer(404, { message: 'no such exec' });
      if (verb === 'json') return answer(200, { ExitCode: exec.exitCode, Running: false });
      // A detached start is our second command, which ends the first by the name they share.
      const named = [...execs.values()].find(
        (each) => each !== exec && each.sandbox === exec.sandbox && each.argv[4] === exec.argv[4],
      );
      named?.end.abort();
      return answer(200);
    };
    serve().catch((error: unknown) => answer(500, { message: String(error) }));
  });
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    const exec = execs.get(request.url?.split('/')[3] ?? '');
    if (exec === undefined) return void socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    const length = Number(request.headers['content-length'] ?? 0);
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    socket.on('error', () => undefined);
    // A container that goes away takes the streams of its commands along.
    runExec({ exec, socket, head, skipBytes: length }).catch(() => {
      exec.exitCode = 137;
      socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    made,
    async close() {
      server.closeAllConnections();
      server.close();
      await provider.close();
    },
  };
}

interface RunOptions {
  readonly exec: Exec;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** The request's own body, which comes before the input. */
  readonly skipBytes: number;
}

async function runExec({ exec, socket, head, skipBytes }: RunOptions): Promise<void> {
  const parts: Buffer[] = [head];
  socket.on('data', (part: Buffer) => parts.push(part));
  // Input is gathered first; commands that read none are not kept waiting by a client that ends it at once.
  await new Promise((resolve) => socket.once('end', resolve));
  const received = Buffer.concat(parts);
  // Whether Node leaves the body in front of the stream or takes it off depends on its version.
  const input = received.subarray(received.indexOf('{"Detach"') === 0 ? skipBytes : 0);
  const result = await exec.sandbox.exec(exec.argv, {
    ...{ input, cwd: exec.cwd, env: exec.env, signal: exec.end.signal },
    onOutput: ({ stream, bytes = new Uint8Array() }) => {
      const header = Buffer.alloc(8);
      header[0] = stream === 'stdout' ? 1 : 2;
      header.writeUInt32BE(bytes.length, 4);
      socket.write(Buffer.concat([header, bytes]));
    },
  });
  exec.exitCode = result.exitCode ?? 137;
  socket.end();
}
