import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { exitOnEpipe } from './exit-on-epipe.ts';
import { findHelp, readHelpWord } from './find-help.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';

// Read by citty when it is loaded: a pipe gets plain text.
const { FORCE_COLOR: forced = '0', TERM: terminal } = process.env;
const isForced = forced !== '' && forced !== '0';
if (!process.stdout.isTTY && !isForced) process.env['NO_COLOR'] ??= '1';

exitOnEpipe();
const isColoured = !process.env['NO_COLOR'] && (isForced || (process.stdout.isTTY && terminal !== 'dumb'));
const words = readHelpWord(process.argv.slice(2));
const columns = process.stdout.columns ?? 80;
const help = findHelp({ words, isColoured, columns });
if (help === undefined) {
  const { loadProjectFileIntoEnv } = await import('./load-project-file-into-env.ts');
  await loadProjectFileIntoEnv(process.cwd(), process.env);
  const { loadSecretsIntoEnv } = await import('./load-secrets-into-env.ts');
  loadSecretsIntoEnv({ rawArgs: words, env: process.env });
  // In a folder of this user: what stands in a shared one would be run as our code.
  enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'lachesis', 'compiled'));
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine([...words], { isColoured, columns });
} else {
  process.stdout.write(help.text);
  if (help.refusal !== undefined) {
    process.stderr.write(`lachesis: ${help.refusal}\n`);
    process.exitCode = EXIT_CODES.usage;
  }
}
