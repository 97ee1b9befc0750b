import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface PoolerFixture extends AsyncDisposable {
  readonly port: number;
}

/** What it does with settings in the first packet, as PgBouncer does with and without `ignore_startup_parameters`. */
export type PoolerManner = 'refuses' | 'drops';

/** Stands before a PostgreSQL and lets no setting through at the start of a connection, but the schema that a test has for itself. */
export async function createPooler(
  target: { host: string; port: number },
  manner: PoolerManner,
): Promise<PoolerFixture> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('data', (packet: Buffer) => {
      const fields = packet.subarray(8).toString('latin1').split('\0');
      const at = fields.indexOf('options') + 1;
      const [schema = ''] = /-c search_path=\S+/.exec(fields[at] ?? '') ?? [];
      if (manner === 'refuses' && fields[at] !== schema) {
        client.end(refuse('unsupported startup parameter: options'));
        return;
      }
      fields[at] = schema;
      const backend = connect(target.port, target.host);
      sockets.add(backend);
      backend.on('error', () => client.destroy());
      backend.on('close', () => client.destroy());
      client.on('close', () => backend.destroy());
      backend.write(startup(packet.readUInt32BE(4), fields));
      client.pipe(backend).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startup(protocol: number, fields: readonly string[]): Buffer {
  const body = Buffer.from(fields.join('\0'), 'latin1');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(protocol, 4);
  return Buffer.concat([head, body]);
}

function refuse(message: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`, 'latin1');
  const head = Buffer.alloc(5);
  head.write('E', 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
