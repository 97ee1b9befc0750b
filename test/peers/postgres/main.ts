import { readlink, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { pingPostgres, startPostgres } from './start-postgres.ts';

/**
 * The long-lived PostgreSQL of a checkout, for .ci/setup and .ci/run:
 *
 *     node test/peers/postgres/main.ts start                   prints DATABASE_URL_TEST=…, …_PID=… and …_DIRECTORY=…
 *     node test/peers/postgres/main.ts check URL                exits 0 when it answers
 *     node test/peers/postgres/main.ts stop PID DIRECTORY       ends it and removes its data
 */
async function main([verb, ...rest]: string[]): Promise<number> {
  if (verb === 'start') {
    const postgres = await startPostgres({ detached: true });
    process.stdout.write(
      `DATABASE_URL_TEST=${postgres.url}\nLACHESIS_POSTGRES_PID=${postgres.pid()}\nLACHESIS_POSTGRES_DIRECTORY=${postgres.directory}\n`,
    );
    return 0;
  }
  if (verb === 'check' && rest[0] !== undefined) {
    return pingPostgres(rest[0]).then(
      () => 0,
      () => 1,
    );
  }
  if (verb === 'stop' && rest[0] !== undefined && rest[1] !== undefined) {
    await stopPostgres(Number(rest[0]), rest[1]);
    return 0;
  }
  process.stderr.write('usage: main.ts start | check URL | stop PID DIRECTORY\n');
  return 2;
}

async function stopPostgres(pid: number, directory: string): Promise<void> {
  // Pids come round again: only a process that works inside the folder is ours to end.
  if (await isWorkingIn(pid, directory)) {
    process.kill(pid, 'SIGQUIT');
    for (let tries = 0; tries < 200 && (await isWorkingIn(pid, directory)); tries += 1) await sleep(50);
  }
  if (/\/lachesis-postgres-[^/]+$/.test(directory)) await rm(directory, { recursive: true, force: true });
}

async function isWorkingIn(pid: number, directory: string): Promise<boolean> {
  return readlink(`/proc/${pid}/cwd`).then(
    (cwd) => cwd === directory || cwd.startsWith(`${directory}/`),
    () => false,
  );
}

process.exitCode = await main(process.argv.slice(2));
