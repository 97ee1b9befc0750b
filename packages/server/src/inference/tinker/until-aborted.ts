/** Waits for something that others wait for too: who gives up leaves it to them. */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
