/** A setting that cannot be used: what it is, what was given, what it may be. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
