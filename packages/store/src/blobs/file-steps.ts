import type { AsyncFileCalls, FileCalls } from './file-calls.ts';

/** One call to make next. */
export interface FileCall<Name extends keyof FileCalls = keyof FileCalls> {
  name: Name;
  args: Parameters<FileCalls[Name]>;
}

/**
 * Work on files told as the calls it makes, one after another. The order of write, sync and rename is written once and
 * runs in both worlds: blocking in worker threads, awaited on the event loop.
 */
export type FileSteps<Result> = Generator<FileCall, Result, unknown>;

/** Inside steps: make this call and wait for what it returns. */
export function* call<Name extends keyof FileCalls>(
  name: Name,
  ...args: Parameters<FileCalls[Name]>
): FileSteps<ReturnType<FileCalls[Name]>> {
  return (yield { name, args }) as ReturnType<FileCalls[Name]>;
}

export function runStepsSync<Result>(steps: FileSteps<Result>, calls: FileCalls): Result {
  const perform = calls as unknown as Record<string, (...args: unknown[]) => unknown>;
  let turn = steps.next();
  while (turn.done !== true) {
    const { name, args } = turn.value;
    let answer: unknown;
    try {
      answer = perform[name]?.(...args);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(answer);
  }
  return turn.value;
}

export async function runSteps<Result>(steps: FileSteps<Result>, calls: AsyncFileCalls): Promise<Result> {
  const perform = calls as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  let turn = steps.next();
  while (turn.done !== true) {
    const { name, args } = turn.value;
    let answer: unknown;
    try {
      answer = await perform[name]?.(...args);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(answer);
  }
  return turn.value;
}
