/*
 * Stands in for the three processes of a run: `api <port>`, `trainer <port> <seconds>`, `environment`. Each writes its start
 * and its end to the file in TRAIN_CASE_LOG.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';

const [name = '', port = '0', finishAfterMs = '0'] = process.argv.slice(2);
const log = process.env['TRAIN_CASE_LOG'] ?? '';
const note = (event: string): void => appendFileSync(log, `${name} ${event}\n`);
const startedAt = Date.now();
note('start');

if (name === 'environment') {
  setInterval(() => undefined, 1000);
  // The first of them dies, as one that is killed does.
  if (!existsSync(`${log}.died`)) {
    appendFileSync(`${log}.died`, 'x');
    process.kill(process.pid, 'SIGKILL');
  }
} else {
  createServer((_request, response) => {
    const state = Date.now() - startedAt > Number(finishAfterMs) ? 'finished' : 'training';
    response.end(JSON.stringify({ state, step: 3, detail: 'done' }));
  }).listen(Number(port), '127.0.0.1', () => process.stdout.write(`${name} listens\n`));
}
process.on('SIGTERM', () => {
  note('end');
  process.exit(0);
});
