import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { beat } from './beat.ts';
import type { HeartbeatCommand, HeartbeatReport, HeartbeatSetup } from './heartbeat-messages.ts';

/** The thread that keeps sessions alive: it has a connection of its own and runs while the main thread computes. */
if (parentPort === null) throw new Error('heartbeat-worker is started by a session as a worker thread.');
const port = parentPort;
const setup = workerData as HeartbeatSetup;

let { headers } = setup;
const lastBeats = new Map<string, number>(setup.sessionIds.map((id) => [id, performance.now()]));

const report = (message: HeartbeatReport): void => port.postMessage(message);

async function beatOnce(sessionId: string): Promise<void> {
  const outcome = await beat({ url: setup.url, headers, sessionId, timeoutMs: setup.timeoutMs, fetch });
  const lastBeat = lastBeats.get(sessionId);
  if (lastBeat === undefined) return;
  if (outcome.kind === 'missed') {
    report({ kind: 'missed', sessionId, silentMs: performance.now() - lastBeat, reason: outcome.reason });
    return;
  }
  if (outcome.kind === 'gone') lastBeats.delete(sessionId);
  else lastBeats.set(sessionId, performance.now());
  report(outcome);
}

function beatAll(): void {
  // `beatOnce` reports its failure instead of throwing.
  for (const sessionId of lastBeats.keys()) void beatOnce(sessionId);
}

const timer = setInterval(beatAll, setup.intervalMs);
beatAll();

port.on('message', (command: HeartbeatCommand) => {
  if (command.kind === 'headers') headers = command.headers;
  else if (command.kind === 'add') {
    lastBeats.set(command.sessionId, performance.now());
    void beatOnce(command.sessionId);
  } else {
    clearInterval(timer);
    lastBeats.clear();
    port.close();
  }
});
