import { parentPort, workerData } from 'node:worker_threads';
import { FakeServer } from './fake-server.case.ts';
import type { FakeServerOptions } from './fake-server.case.ts';

if (parentPort === null) throw new Error('fake-server-thread-worker is started as a worker thread.');
const port = parentPort;
const server = await FakeServer.start(workerData as FakeServerOptions);
port.on('message', () => port.postMessage(server.heartbeats.map(({ at }) => at)));
port.postMessage(server.url);
