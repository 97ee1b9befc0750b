import { fail } from '../../terminal/fail.ts';

/** One sentence for what the store refuses: a place that is taken, a backup that is damaged. A fault of ours keeps its stack. */
export async function failOnStoreError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // What every error of the store has.
    if (error instanceof Error && 'retryable' in error) return fail(error.message);
    throw error;
  }
}
