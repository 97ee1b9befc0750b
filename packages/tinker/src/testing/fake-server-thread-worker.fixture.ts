import { parentPort, workerData } from 'node:worker_threads';
import { FakeServer } from './fake-server.fixture.ts';
import type { FakeServerOptions } from './fake-server.fixture.ts';

if (parentPort === null) throw new Error('fake-server-thread-worker is started as a worker thread.');
const { options, beats } = workerData as { options: FakeServerOptions; beats: Int32Array };
const server = await FakeServer.start({
  ...options,
  // The only place where every request passes; it changes none.
  fault: ({ path }) => {
    if (path === 'session_heartbeat') {
      Atomics.add(beats, 0, 1);
      Atomics.notify(beats, 0);
    }
    return undefined;
  },
});
parentPort.postMessage(server.url);
