/** Begins the one line of a client's output that is its result. */
export const RESULT_PREFIX = 'RESULT ';

export function reportResult(result: unknown): void {
  process.stdout.write(`${RESULT_PREFIX}${JSON.stringify(result)}\n`);
}
