/** Sandboxes wait more than they compute; a few at once keep two cores busy. */
const AT_ONCE = 4;

/** Does all of it, some at once, and gives the results in order. */
export async function runInTurn<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const workOn = async (): Promise<void> => {
    while (next < list.length) {
      const at = next;
      next += 1;
      results[at] = await work(list[at] as T);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
  return results;
}
