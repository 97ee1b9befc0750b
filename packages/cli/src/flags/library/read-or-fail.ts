import { SettingError } from '@lachesis/server';
import { refuse } from '../../terminal/fail.ts';
import { nameAsTyped } from '../setting-flags.ts';

/** One sentence for a setting that cannot be used, by its option; a fault of ours keeps its stack. */
export function readOrFail<T>(read: () => T, otherNames: Readonly<Record<string, string>> = {}): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) return refuse(nameAsTyped(error.message, otherNames));
    throw error;
  }
}
