/*
 * The real control server, with stations that stand in for those of the loop. What it is given comes as JSON in its
 * first argument; a mutant is the same server with one broken part.
 */
import { createLog } from '@lachesis/server/processes';
import { buildControl } from '../../../../packages/server/src/control/build.ts';
import type { ProcessTable } from '../../../../packages/server/src/services/runs/supervisor/process-table.ts';
import type { RunReplacements } from '../../../../packages/server/src/control/runs.ts';
import { readControlSettings } from '@lachesis/server';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SubjectOptions {
  home: string;
  /** SQLite in the home without it. */
  databaseUrl?: string | undefined;
  port: number;
  /** The trainer answers once there is a file `go` in the folder of the run: until then the run is starting. */
  isGated: boolean;
  readyMs: number;
  endMs: number;
  leaseSeconds: number;
  /** `absent`: takes requests and looks after nothing. */
  supervisor: 'absent' | 'blind' | 'meek' | 'real';
}

const options = JSON.parse(process.argv[2] ?? '{}') as SubjectOptions;
const station = fileURLToPath(new URL('./station-process.ts', import.meta.url));

/** Believes that no process it finds lives, as one without re-adoption would. */
const blind = (real: ProcessTable): ProcessTable => {
  const own = new Set<number>([process.pid]);
  return {
    ...real,
    spawn: (given) => {
      const started = real.spawn(given);
      if (started.pid !== undefined) own.add(started.pid);
      return started;
    },
    readStart: (pid) => (own.has(pid) ? real.readStart(pid) : undefined),
    list: async () => [],
  };
};

/** Says that it has ended processes, and has not; it does not look either. */
const meek = (real: ProcessTable): ProcessTable => ({
  ...real,
  signal: () => true,
  readStart: (pid) => (pid === process.pid ? real.readStart(pid) : undefined),
  list: async () => [],
});

const tables = { blind, meek, real: (real: ProcessTable) => real, absent: (real: ProcessTable) => real };

const runs: RunReplacements = {
  isSupervising: options.supervisor !== 'absent',
  table: tables[options.supervisor],
  times: { leaseSeconds: options.leaseSeconds, renewEveryMs: (options.leaseSeconds * 1000) / 3, tickMs: 200 },
  findEngineUrl: async () => undefined,
  configurator: (real) => ({
    ...real,
    resolve: async () => ({
      environment: 'stand-in',
      config: {},
      recipe: {
        env: { rollout_server_url: 'http://127.0.0.1:0' },
        openai: [{ base_url: 'http://127.0.0.1:0' }],
        tinker: {},
      },
      environmentFile: {},
      totalSteps: 5,
      wandbProject: null,
      wandbRunName: null,
    }),
  }),
  plan: () => (run, ports) => {
    const place = {
      folder: join(options.home, 'runs', run.shortId),
      ...{
        apiPort: ports.api,
        trainerPort: ports.trainer,
        readyMs: options.readyMs,
        endMs: options.endMs,
        isGated: options.isGated,
      },
    };
    const plan = (role: string, readyUrl?: string) => ({
      file: process.execPath,
      arguments: [station, role, JSON.stringify(place)],
      env: { PATH: process.env['PATH'] },
      readyUrl,
    });
    return {
      statusUrl: `http://127.0.0.1:${ports.trainer}/v1/trainer`,
      processes: {
        api: plan('api', `http://127.0.0.1:${ports.api}/`),
        trainer: plan('trainer', `http://127.0.0.1:${ports.trainer}/`),
        env: plan('env'),
      },
    };
  },
};

const { values: settings } = readControlSettings(
  { home: options.home, port: options.port, databaseUrl: options.databaseUrl },
  {},
);
const control = await buildControl({
  settings,
  log: createLog({ name: 'control', level: 'warn' }),
  env: {},
  replace: { runs },
});
await control.app.listen({ host: '127.0.0.1', port: options.port });
process.stdout.write('ready\n');
// It is written at the end of a process, and this one has no end but being killed.
flushCompileCache();
