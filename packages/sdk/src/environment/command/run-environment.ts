import { ClientError } from '../../clients/client-error.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { readDefinition, type EnvironmentClass } from '../environment.ts';
import { EnvironmentError } from '../environment-error.ts';
import { ENVIRONMENT_MODES, runEnvironmentCommand } from './run-environment-command.ts';

/** For the end of an environment's own file: runs `serve`, `process` or `evaluate` with the arguments of the process. */
export async function runEnvironment(exported: EnvironmentDefinition | EnvironmentClass): Promise<void> {
  const [word, ...argv] = process.argv.slice(2);
  const definition = readDefinition(exported);
  const mode = ENVIRONMENT_MODES.find((known) => known === word);
  if (definition === undefined || mode === undefined) {
    process.stderr.write(`say what to do: ${ENVIRONMENT_MODES.join(', ')}; --help after it lists the settings\n`);
    process.exitCode = 2;
    return;
  }
  const abort = abortOnSignals();
  try {
    await runEnvironmentCommand({ definition, mode, argv, signal: abort.signal });
  } catch (error) {
    if (abort.signal.aborted) return;
    if (!isExpected(error)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Whether an error is a sentence for the person who typed, and not a fault of ours. */
export const isExpected = (error: unknown): error is Error =>
  ConfigError.isInstance(error) || EnvironmentError.isInstance(error) || ClientError.isInstance(error);

/** The first Ctrl-C ends in order, the second at once. */
export function abortOnSignals(): AbortController {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => abort.abort(new Error(`ended by ${signal}`)));
  }
  return abort;
}
