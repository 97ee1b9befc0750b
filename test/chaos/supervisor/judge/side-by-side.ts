/** Cases mostly wait, for leases, graces and steps; more at once than this and they wait for the processor instead. */
const WIDTH = 5;

/** Runs cases beside one another, a few at a time, and waits for all that began. The first that failed is thrown. */
export async function runSideBySide<T>(cases: readonly (() => Promise<T>)[], width = WIDTH): Promise<T[]> {
  const results: T[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < cases.length && failures.length === 0; index = next++) {
      try {
        const result = await cases[index]?.();
        if (result !== undefined) results[index] = result;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
