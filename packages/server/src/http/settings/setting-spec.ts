import type { SettingKind } from './setting-kinds.ts';

/** One setting: what it may be, what it is when nobody says, and how it is called in the environment. */
export interface SettingSpec<T> {
  kind: SettingKind<T>;
  fallback: () => T;
  environmentVariable?: string;
  describe: string;
  /** How a value that cannot be used is shown; needed where it holds a secret. */
  conceal?: (given: string) => string;
}

/** Names the type of a setting where its fallback alone would not say it. */
export function setting<T>(spec: SettingSpec<T>): SettingSpec<T> {
  return spec;
}
