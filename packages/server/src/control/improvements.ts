import { homePaths } from '@lachesis/protocol/home';
import { join } from 'node:path';
import type { ControlSettings } from '../http/settings/control-settings.ts';
import type { PlanImprovement } from '../services/improve/supervise-improvements.ts';
import { chooseVariables } from '../services/runs/programs/process-variables.ts';
import type { Program } from '../services/runs/programs/program.ts';

/** How what a process reads is kept from what was recorded, as the server itself was told. */
const REDACTION = /^LACHESIS_REDACT_/;

/** How the process of an improvement is started: the command that resumes one, with what a trainer is given. */
export function createImprovementPlanner(options: {
  settings: ControlSettings;
  program: Program;
  env: Readonly<Record<string, string | undefined>>;
  workingDirectory: string;
}): PlanImprovement {
  const { settings, program, env, workingDirectory } = options;
  const { home, databaseUrl, passEnv } = settings;
  const redaction = Object.entries(env).filter(([name]) => REDACTION.test(name));
  return ({ tenantId, improvementId }) => ({
    file: program.file,
    // The server reads the outboxes: it knows all the secrets that are taken out of records, and the process does not.
    arguments: [
      ...[...program.arguments, 'improve', 'resume', '--model', improvementId, '--tenant', tenantId],
      ...['--home', home, '--drained'],
    ],
    env: {
      ...chooseVariables(env, { role: 'trainer', passed: passEnv }),
      ...Object.fromEntries(redaction),
      ...{ LACHESIS_HOME: home, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) },
    },
    workingDirectory,
    logPath: join(homePaths(home).logs, `improve_${improvementId}.log`),
  });
}
