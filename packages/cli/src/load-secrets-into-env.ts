import { fail } from './terminal/fail.ts';
import { loadSecrets, type LoadSecretsOptions } from './secrets/load-secrets.ts';
import { SecretsError } from './secrets/secrets-error.ts';

/** They look at the file themselves, and have to work when it is refused. */
const ON_THEIR_OWN = new Set(['config', 'doctor', 'init']);

/** Before a command runs: what `lachesis config set` keeps becomes variables of this process. */
export function loadSecretsIntoEnv(options: LoadSecretsOptions): void {
  if (ON_THEIR_OWN.has(options.rawArgs[0] ?? '')) return;
  try {
    loadSecrets(options);
  } catch (error) {
    if (SecretsError.isInstance(error)) fail(error.message);
    throw error;
  }
}
