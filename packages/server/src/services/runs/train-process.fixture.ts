/*
 * Stands in for the three processes of a run: `api <port>`, `trainer <port> <starts>`, `environment`. Each writes its start
 * and its end to the file in TRAIN_CASE_LOG; the trainer has finished when so many environments have started.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [name = '', port = '0', finishAfterStarts = '0'] = process.argv.slice(2);
const log = process.env['TRAIN_CASE_LOG'] ?? '';
const note = (event: string): void => appendFileSync(log, `${name} ${event}\n`);
process.on('SIGTERM', () => {
  note('end');
  process.exit(0);
});
// Whoever reads this may end it: what it does then is settled above.
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
    const starts = readFileSync(log, 'utf8').split('environment start').length - 1;
    const state = starts >= Number(finishAfterStarts) ? 'finished' : 'training';
    response.end(JSON.stringify({ state, step: 3, detail: 'done' }));
  }).listen(Number(port), '127.0.0.1', () => process.stdout.write(`${name} listens\n`));
}
