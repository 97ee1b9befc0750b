import type { Clock, InferenceTest, RlToolInputs, RlToolOutputs } from '@lachesis/protocol';
import type { ControlClient } from '../control.ts';
import type { RlToolCallOptions } from './rl-tool.ts';

export interface TestInferenceOptions extends RlToolCallOptions {
  client: ControlClient;
  clock: Clock;
  input: RlToolInputs['rl_test_inference'];
  /** How long to wait for the end. */
  waitMs: number;
}

const PAUSE_MS = 1_000;

/** Starts a test or reads on in one, and waits for its end while the caller can wait. */
export async function testInference(options: TestInferenceOptions): Promise<RlToolOutputs['rl_test_inference']> {
  const { client, clock, waitMs, signal, onProgress } = options;
  const { test_id: testId, ...input } = options.input;
  const until = clock.now() + waitMs;
  let test =
    testId === undefined
      ? await client.testInference(input, { signal })
      : await client.readInferenceTest(testId, { signal });
  while (test.status === 'running' && clock.now() + PAUSE_MS < until) {
    onProgress?.({ done: countDone(test), message: test.summary.message });
    await clock.sleep(PAUSE_MS, signal);
    signal?.throwIfAborted();
    test = await client.readInferenceTest(test.test_id, { signal });
  }
  if (test.status !== 'running') return test;
  return {
    ...test,
    message: `The test goes on. Call rl_test_inference with test_id ${test.test_id} alone to read on.`,
  };
}

function countDone({ results = [], models = [] }: InferenceTest): number {
  return results.length + models.reduce((sum, { completions, failed }) => sum + completions + failed, 0);
}
