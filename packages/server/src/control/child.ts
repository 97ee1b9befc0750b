import { createLog } from '../http/logs/create-log.ts';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import { buildControl } from './build.ts';
import { PAGE_VARIABLE } from './page/page-variable.ts';
import { readProgram } from '../services/runs/programs/program.ts';
import { serveConnections } from '../process/serve-connections.ts';

const DRAIN_MS = 10_000;

/** The settings come from the parent. */
export async function serveControl(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as ControlSettings;
  const log = createLog({ name: 'control', level: settings.logLevel });
  await serveConnections({
    name: 'the control process',
    log,
    drainMs: DRAIN_MS,
    build: () =>
      buildControl({ settings, log, program: readProgram(process.env), pageFolder: process.env[PAGE_VARIABLE] }),
  });
}

if (import.meta.main) await serveControl();
