import { SettingError } from './setting-error.ts';
import type { SettingSpec } from './setting-spec.ts';

/** Where the value of a setting came from; kept with it, so that "why is it so" has an answer. */
export type SettingOrigin = 'option' | 'environment' | 'default';

export interface ResolvedSettings<T> {
  values: T;
  origins: { [name in keyof T]: SettingOrigin };
}

/** The values that a table of settings resolves to. */
export type SettingValues<Specs extends Record<string, SettingSpec<unknown>>> = {
  [name in keyof Specs]: ReturnType<Specs[name]['fallback']>;
};

/** An option beats the environment, the environment beats the default. An unknown option is refused. */
export function resolveSettings<Specs extends Record<string, SettingSpec<unknown>>>(
  specs: Specs,
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<SettingValues<Specs>> {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(specs, name)) throw new SettingError(`there is no setting ${JSON.stringify(name)}`);
  }
  const values: Record<string, unknown> = {};
  const origins: Record<string, SettingOrigin> = {};
  for (const [name, spec] of Object.entries<SettingSpec<unknown>>(specs)) {
    const { value, origin } = resolve(name, spec, options[name], env);
    values[name] = value;
    origins[name] = origin;
  }
  return { values, origins } as ResolvedSettings<SettingValues<Specs>>;
}

function resolve(
  name: string,
  spec: SettingSpec<unknown>,
  option: unknown,
  env: Record<string, string | undefined>,
): { value: unknown; origin: SettingOrigin } {
  const variable = spec.environmentVariable;
  const text = variable === undefined ? undefined : env[variable];
  const origin = option !== undefined ? 'option' : text !== undefined && text !== '' ? 'environment' : 'default';
  if (origin === 'default') return { value: spec.fallback(), origin };
  const given = origin === 'option' ? option : text;
  const read = spec.kind(given);
  if ('value' in read) return { value: read.value, origin };
  const source = origin === 'environment' ? `environment variable ${variable}` : `setting ${name}`;
  const shown = typeof given === 'string' && spec.conceal !== undefined ? spec.conceal(given) : given;
  throw new SettingError(`${source} is ${JSON.stringify(shown)}: ${read.refusal} (${spec.describe})`);
}
