import { SettingError } from '@lachesis/server';
import { refuse } from '../../terminal/fail.ts';

/** One sentence for a setting that cannot be used; a fault of ours keeps its stack. */
export function readOrFail<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) return refuse(error.message);
    throw error;
  }
}
