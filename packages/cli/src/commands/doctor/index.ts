import { defineCommand } from 'citty';
import { formatDoctor } from '../../doctor/format-doctor.ts';
import { runDoctor } from '../../doctor/run-doctor.ts';
import { createPaint, wantsColour } from '../../terminal/paint.ts';
import { loadSecrets } from '../../secrets/load-secrets.ts';
import { SecretsError } from '../../secrets/secrets-error.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { createDoctorChecks } from './probes.ts';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { readStorePlace } from '../../flags/library/open-local-store.ts';

const flags = {
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const MOST_COLUMNS = 100;

export const doctorCommand = defineCommand({
  meta: {
    name: 'doctor',
    description: 'Look at what Lachesis needs on this machine, and say how to fix what is wrong.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const place = readOrFail(() => readStorePlace(args));
    const env = { ...process.env };
    loadWhatCanBe(rawArgs, env);
    const findings = await runDoctor(createDoctorChecks({ ...place, env, given: process.env }));
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify(findings)}\n`
        : formatDoctor({
            findings,
            paint: createPaint(wantsColour(process.stdout, process.env)),
            columns: Math.min(process.stdout.columns || MOST_COLUMNS, MOST_COLUMNS),
          }),
    );
    if (findings.some(({ verdict }) => verdict === 'fail')) process.exitCode = 1;
  },
});

/** A file that is refused is a finding, and the rest is still looked at. */
function loadWhatCanBe(rawArgs: readonly string[], env: Record<string, string | undefined>): void {
  try {
    loadSecrets({ rawArgs, env });
  } catch (error) {
    if (!SecretsError.isInstance(error)) throw error;
  }
}
