import { findOwnProgram } from '@lachesis/server';
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { runPath } from '@lachesis/protocol/home';
import { findFileOf } from '../../flags/environment.ts';
import { readStorePlace } from '../../flags/library/open-local-store.ts';
import { fail } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { describeRunError } from '../train/run-error.ts';

export interface SuperviseAtHomeOptions {
  home: string;
  run: string;
  json: boolean;
  /** Leave it to a process of its own, and return. */
  detach: boolean;
  /** Of a run that was just made: it is checked first. */
  isNew?: boolean;
  recipeName?: string | undefined;
}

/** Looks after a run of this home until it has ended, in this process or in one in the background. */
export async function superviseAtHome(options: SuperviseAtHomeOptions): Promise<void> {
  const { home, run, json } = options;
  const program = findOwnProgram() ?? fail('this program does not know its own path.');
  if (options.detach) return leaveBehind(options, program);
  const { signal, hurry } = listenForShutdown();
  const out = json ? process.stderr : process.stdout;
  const { resumeHere } = await import('@lachesis/server/processes');
  const ended = await resumeHere({
    ...{ home, databaseUrl: readStorePlace({ home }).databaseUrl, run, program, env: process.env },
    ...{ isChecked: options.isNew === true, recipeName: options.recipeName, findFile: findFileOf, signal, hurry },
    onEvent: (sentence) => void process.stderr.write(`${sentence}\n`),
    onLine: (line) => {
      if (/^(step|training|eval) /.test(line)) out.write(`${line}\n`);
    },
  }).catch((error: unknown) => fail(describeRunError(error)));
  const { state, reason } = ended.run;
  if (json) writeJson({ run_id: run, status: state, reason });
  else process.stdout.write(`run ${run} is ${state}: ${reason ?? 'no reason is known'}\n`);
  if (state !== 'completed') process.exitCode = 1;
}

/** It outlives this command; `lachesis stop` ends it. */
function leaveBehind(
  { home, run, json }: SuperviseAtHomeOptions,
  program: NonNullable<ReturnType<typeof findOwnProgram>>,
): void {
  const directory = runPath(home, run);
  mkdirSync(directory, { recursive: true });
  const logPath = join(directory, 'supervisor.log');
  const log = openSync(logPath, 'a', 0o600);
  const given = ['runs', 'resume', run, '--home', home];
  const child = spawn(program.file, [...program.arguments, ...given], { stdio: ['ignore', log, log], detached: true });
  child.unref();
  closeSync(log);
  if (json) writeJson({ run_id: run, status: 'starting', pid: child.pid, log: logPath });
  else {
    process.stdout.write(
      `run ${run} goes on in the background (pid ${child.pid}); log ${logPath}\n  look: lachesis runs watch ${run}\n  end:  lachesis stop ${run}\n`,
    );
  }
}
