/*
 * Stands in for a process of a run: `station-process.ts <role> <place as JSON>`. It answers after a while, keeps its
 * steps on disk, has a child of its own, and takes its time to end. The environment asks both others for each step, so
 * a run goes on only while all three are there.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Place {
  folder: string;
  apiPort: number;
  trainerPort: number;
  readyMs: number;
  endMs: number;
  isGated: boolean;
}

const STEPS = 5;
const [role = '', placeText = '{}'] = process.argv.slice(2);
const place = JSON.parse(placeText) as Place;
mkdirSync(place.folder, { recursive: true });
const stepFile = join(place.folder, 'steps.jsonl');

const note = (text: string): void => void process.stdout.write(`${role} ${process.pid} ${text}\n`);
const readStep = (): number => (existsSync(stepFile) ? readFileSync(stepFile, 'utf8').trim().split('\n').length : 0);

spawn('sleep', ['600'], { stdio: 'ignore' }).unref();
process.on('SIGTERM', () => {
  note('was asked to end');
  setTimeout(() => process.exit(0), place.endMs);
});
note('starts');
if (role === 'env') await rollOut();
else await serve(role === 'api' ? place.apiPort : place.trainerPort);

async function serve(port: number): Promise<void> {
  await sleep(place.readyMs);
  while (place.isGated && role === 'trainer' && !existsSync(join(place.folder, 'go'))) await sleep(20);
  const server = createServer((request, response) => {
    if (request.method === 'POST') appendFileSync(stepFile, `${JSON.stringify({ pid: process.pid })}\n`);
    const step = readStep();
    const isDone = step >= STEPS && existsSync(join(place.folder, 'finish'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ state: isDone ? 'finished' : 'training', detail: 'steps', step }));
  });
  server.on('error', (error) => {
    note(error.message);
    process.exit(1);
  });
  server.listen(port, '127.0.0.1', () => note('answers'));
}

async function rollOut(): Promise<void> {
  for (;;) {
    await sleep(200);
    try {
      await fetch(`http://127.0.0.1:${place.apiPort}/`);
      await fetch(`http://127.0.0.1:${place.trainerPort}/step`, { method: 'POST' });
    } catch {
      note('waits for the others');
    }
  }
}
