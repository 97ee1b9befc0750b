import { appendFileSync, readFileSync } from 'node:fs';

/** Stands for an environment: notes that it was started, says a line, and does what its word says. */
const [name = '', word = '', log = ''] = process.argv.slice(2);
appendFileSync(log, `${name} start\n`);
console.log('rolls out');
const starts = readFileSync(log, 'utf8').split(`${name} start`).length - 1;
if (word === 'refuse') process.exitCode = 78;
else if (word === 'die') process.exitCode = 3;
else if (word === 'die-once') process.exitCode = starts > 1 ? 0 : 3;
else if (word === 'stay') {
  const alive = setInterval(() => undefined, 1_000);
  const end = (how: string): void => {
    appendFileSync(log, `${name} ${how}\n`);
    clearInterval(alive);
    process.disconnect();
  };
  process.once('SIGTERM', () => end('asked to end'));
}
