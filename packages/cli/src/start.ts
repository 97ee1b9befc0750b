import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exitOnEpipe } from './exit-on-epipe.ts';
import { findHelp } from './find-help.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';

// Read by citty when it is loaded: a pipe gets plain text.
const { FORCE_COLOR: forced = '0', TERM: terminal } = process.env;
const isForced = forced !== '' && forced !== '0';
if (!process.stdout.isTTY && !isForced) process.env['NO_COLOR'] ??= '1';

exitOnEpipe();
const isColoured = !process.env['NO_COLOR'] && (isForced || (process.stdout.isTTY && terminal !== 'dumb'));
const help = findHelp({ words: process.argv.slice(2), isColoured });
if (help === undefined) {
  const { loadSecretsIntoEnv } = await import('./load-secrets-into-env.ts');
  loadSecretsIntoEnv({ rawArgs: process.argv.slice(2), env: process.env });
  // In a folder of this user: what stands in a shared one would be run as our code.
  enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'lachesis', 'compiled'));
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine(process.argv.slice(2));
} else {
  process.stdout.write(help.text);
  if (help.refusal !== undefined) {
    process.stderr.write(`lachesis: ${help.refusal}\n`);
    process.exitCode = EXIT_CODES.usage;
  }
}
