import { findHome } from '@lachesis/sdk/home';
import { refuseSecretName } from './secret-name.ts';
import { readSecretsFile } from './secrets-file.ts';

export interface LoadSecretsOptions {
  /** The words of the command: `--home` decides which file is read. */
  rawArgs: readonly string[];
  /** What is filled up; a variable that is set, even to nothing, stays. */
  env: Record<string, string | undefined>;
}

/** Set by a control server for what it starts: that got the secrets it needs, and must not help itself to the others. */
const GIVEN = 'LACHESIS_SECRETS';

/** Lets this process, and the ones it starts, see what `lachesis config set` keeps. */
export function loadSecrets({ rawArgs, env }: LoadSecretsOptions): void {
  if (env[GIVEN] === 'given') return;
  const home = findCommandHome({ rawArgs, env });
  for (const { name, value } of readSecretsFile(home)) {
    if (refuseSecretName(name) === undefined) env[name] ??= value;
  }
}

/** The home that a command will use, whose flags are yet to be read. */
export function findCommandHome({ rawArgs, env }: LoadSecretsOptions): string {
  const index = rawArgs.findIndex((word) => word === '--home' || word.startsWith('--home='));
  const word = rawArgs[index];
  return findHome(word === '--home' ? rawArgs[index + 1] : word?.slice('--home='.length), env);
}
