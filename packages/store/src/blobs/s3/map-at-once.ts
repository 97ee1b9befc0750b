/** Maps with a few under way at once, in order. The first failure ends it once those under way have ended. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  atOnce: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let hasFailed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next;
      next += 1;
      try {
        results[index] = await map(items[index]!, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return results;
}
