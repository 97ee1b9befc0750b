import type { ChatMessage } from '@lachesis/protocol';
import { type Outcome, abstained, failed, scored } from '../outcome.ts';
import { type AskJudge, JudgeError } from './judge/ask-judge.ts';
import { type JudgeVerdict, createVerdictSchema, readVerdict } from './judge/read-verdict.ts';
import { writeJudgePrompt } from './judge/write-judge-prompt.ts';
import type { Reward, RewardInput } from './reward.ts';

export interface JudgeRewardOptions {
  /** Asks the judge and gives its text back; `createJudge` makes one for any OpenAI-compatible server. */
  readonly judge: AskJudge;
  /** What a good answer is, for the judge. */
  readonly rubric: string;
  /** The scores the judge may give. Default 0 to 1. The reward is always brought to [0, 1]. */
  readonly scale?: { readonly min: number; readonly max: number };
  /** How often a reply that cannot be used is asked for again. Default 2. */
  readonly retries?: number;
  readonly timeoutMs?: number;
  /** Grades when the judge cannot. Off unless named; each such reward carries the mark `heuristic:<name>`. */
  readonly fallback?: { readonly name: string; readonly reward: Reward };
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * A reward that another model gives by a rubric. Its reply must be JSON that fits a schema, with a score inside the
 * scale; it may abstain. A judge that cannot be reached or does not keep to the form is a failure of the verifier and
 * no number.
 */
export function createJudgeReward(options: JudgeRewardOptions): Reward {
  const { judge, rubric, scale = { min: 0, max: 1 }, retries = 2, timeoutMs = DEFAULT_TIMEOUT_MS, fallback } = options;
  const schema = createVerdictSchema(scale);
  return async (input) => {
    const messages = writeJudgePrompt({ rubric, scale, input });
    const outcome = await askUntilUsable({ judge, messages, schema, scale, retries, timeoutMs, input });
    if (outcome.kind !== 'failed' || fallback === undefined || input.signal?.aborted === true) return outcome;
    const substitute = await fallback.reward(input);
    if (substitute.kind !== 'scored') return outcome;
    return scored(substitute.reward, substitute.signals, [...(substitute.marks ?? []), `heuristic:${fallback.name}`]);
  };
}

interface Asking {
  readonly judge: AskJudge;
  readonly messages: readonly ChatMessage[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly scale: { readonly min: number; readonly max: number };
  readonly retries: number;
  readonly timeoutMs: number;
  readonly input: RewardInput;
}

async function askUntilUsable(asking: Asking): Promise<Outcome> {
  let outcome: Outcome = failed('verifier', 'the judge was never asked');
  for (let attempt = 0; attempt <= asking.retries; attempt += 1) {
    const verdict = await askOnce(asking);
    outcome = verdict.outcome;
    if (!verdict.mayRetry) break;
  }
  return outcome;
}

async function askOnce({
  judge,
  messages,
  schema,
  scale,
  timeoutMs,
  input,
}: Asking): Promise<{ outcome: Outcome; mayRetry: boolean }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal]);
  try {
    const verdict = readVerdict(await judge({ messages, schema, signal }), scale);
    return { outcome: toOutcome(verdict, scale), mayRetry: verdict.kind === 'unusable' };
  } catch (error) {
    if (input.signal?.aborted === true) return stop(failed('infrastructure', 'the judge was cancelled'));
    // All the time was given once already.
    if (deadline.aborted) return stop(failed('verifier', `the judge gave no answer within ${timeoutMs} ms`));
    const mayRetry = !JudgeError.isInstance(error) || error.retryable;
    return { outcome: failed('verifier', `the judge failed: ${describe(error)}`), mayRetry };
  }
}

const stop = (outcome: Outcome): { outcome: Outcome; mayRetry: boolean } => ({ outcome, mayRetry: false });

function toOutcome(verdict: JudgeVerdict, { min, max }: { min: number; max: number }): Outcome {
  switch (verdict.kind) {
    case 'score':
      return scored((verdict.score - min) / (max - min), { judge: verdict.score });
    case 'abstention':
      return abstained(`the judge abstained: ${verdict.reason}`);
    case 'unusable':
      return failed('verifier', `the reply of the judge cannot be used: ${verdict.reason}`);
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
