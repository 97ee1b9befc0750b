import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionDrain } from './connection-drain.ts';
import type { ChildMessage, ParentMessage } from './supervise-socket.ts';

/**
 * A child of the supervisor of a socket that says its pid. REFUSAL makes it refuse to start, while the file in REFUSE_WHILE
 * exists if one is named; FINAL=1 says that trying again is no use. DIES makes it end without a word. DEAF makes it lose connections on their way.
 */
const { REFUSAL, REFUSE_WHILE, FINAL, DIES, DEAF } = process.env;

if (DIES !== undefined) process.exit(7);
if (REFUSAL !== undefined && (REFUSE_WHILE === undefined || existsSync(REFUSE_WHILE))) {
  process.send?.({ type: 'refused', message: REFUSAL, isFinal: FINAL === '1' }, () => process.exit(1));
} else {
  serve();
}

function serve(): void {
  const server = createServer((request, response) => {
    if (request.url === '/die') process.kill(process.pid, 'SIGKILL');
    else if (request.url === '/slow') setTimeout(() => response.end(String(process.pid)), 300);
    else response.end(String(process.pid));
  });
  const drain = new ConnectionDrain(server);
  process.on('message', (message: ParentMessage, socket?: Socket) => {
    if (message.type === 'connection' && DEAF !== undefined) {
      socket?.destroy();
    } else if (message.type === 'connection' && socket !== undefined) {
      process.send?.({ type: 'taken', id: message.id } satisfies ChildMessage, () => {
        drain.add(socket);
        server.emit('connection', socket);
        socket.resume();
      });
    } else if (message.type === 'stop') {
      void drain.finish(2_000).then(() => process.exit(0));
    }
  });
  process.send?.({ type: 'ready' });
}
