import { ClientError } from './client-error.ts';
import { broken, readLines } from './library-lines.ts';
import type { SendOptions } from './request.ts';

/** Lines that say how the work stands, not what came of it. */
type ServiceLine = { done: true } | { failed: { message: string; hint?: string | undefined } } | { waiting: true };

/**
 * Lines of work that takes a while, as they come. Throws where it failed, and where the reply ends without the line that
 * says so: `{"done":true}`, or the one that is named.
 */
export async function* readWork<T extends object>(
  options: SendOptions,
  parse: (value: unknown) => T,
  last = 'done',
): AsyncGenerator<Exclude<T, ServiceLine>> {
  const call = `${options.method} ${options.path}`;
  let isWhole = false;
  for await (const line of readLines(options, parse)) {
    if ('failed' in line) {
      const { message, hint } = (line as { failed: { message: string; hint?: string } }).failed;
      throw new ClientError({ code: 'unavailable', call, reason: message, retryable: false, hint });
    }
    if (last in line) isWhole = true;
    // What came of it; the other kinds are ours.
    if (!('waiting' in line) && !('done' in line)) yield line as Exclude<T, ServiceLine>;
  }
  if (!isWhole) throw broken(call, 'it broke off');
}
