/**
 * `Promise.all` that throws only when every promise has ended, so that nothing still starts servers after the show has
 * cleaned up.
 */
export async function finishAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const values: T[] = [];
  for (const outcome of await Promise.allSettled(promises)) {
    if (outcome.status === 'rejected') throw outcome.reason;
    values.push(outcome.value);
  }
  return values;
}
