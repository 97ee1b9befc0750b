/**
 * The exit code of a process that was given what can never work (EX_CONFIG of sysexits.h). Who watches it does not start it
 * again, and shows its last words.
 */
export const REFUSED_EXIT_CODE = 78;

/** A setting that cannot be used: what it is, what was given, what it may be. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
