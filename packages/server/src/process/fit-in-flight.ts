import type { Logger } from 'pino';
import { filesNeeded, fitCalls, readFileLimit } from '../http/memory/file-limit.ts';
import { SettingError } from '../http/settings/setting-error.ts';

/** Takes as many calls at once as this process has descriptors for, and says so where that is fewer than was asked for. */
export function fitInFlight<T extends { maxInFlight: number }>(
  settings: T,
  { log, readLimit = readFileLimit }: { log: Logger; readLimit?: () => number | undefined },
): T {
  const limit = readLimit();
  const maxInFlight = fitCalls(settings.maxInFlight, limit);
  const raise = `raise it with \`ulimit -n ${filesNeeded(settings.maxInFlight)}\``;
  if (maxInFlight === null) {
    throw new SettingError(`this process may have ${limit} files open, too few to answer a single call: ${raise}`);
  }
  if (maxInFlight < settings.maxInFlight) {
    const { maxInFlight: wanted } = settings;
    log.warn(
      { limit, wanted, maxInFlight },
      `only ${maxInFlight} calls at once are taken instead of ${wanted}: this process may have ${limit} files open; ${raise}`,
    );
  }
  return { ...settings, maxInFlight };
}
