import type { Completion, PolicyRange } from '../policy/policy.ts';

/** Tokens of one rollout, ready to be trained on. */
export interface Sequence {
  readonly tokens: Int32Array;
  /** 1 where a token was sampled. */
  readonly isSampled: Uint8Array;
  /** Of sampled tokens; 1 elsewhere, as the wire has it. */
  readonly logprobs: Float32Array;
  readonly policyRanges: readonly PolicyRange[];
  /** Which tokens are of which turn of the model: from, to, and the turn from 0 on. */
  readonly turnRanges?: readonly (readonly [from: number, to: number, turn: number])[];
}

/** `refuse`: no sequence and the reason. `split`: one sequence per turn whose history was kept. */
export type HistoryPolicy = 'refuse' | 'split';

export type JoinedTurns =
  | { readonly sequences: readonly Sequence[]; readonly wasSplit: boolean }
  | { readonly refusal: string };

/** What the wire has where nothing was sampled. */
const NOT_SAMPLED = 1;

/**
 * Puts the turns of a rollout into one sequence. The prompt of a turn must begin with the prompt and the reply of the turn
 * before, token for token: a template that drops thinking, or text that was encoded another way, breaks that, and training
 * would then see tokens that nobody sampled in that place.
 */
export function joinTurns(completions: readonly Completion[], policy: HistoryPolicy): JoinedTurns {
  const runs: Turn[][] = [];
  for (const [turn, completion] of completions.entries()) {
    const run = runs.at(-1);
    const before = run?.at(-1)?.completion;
    const difference = before === undefined ? undefined : findDifference(before, completion.promptTokens);
    if (run === undefined || difference !== undefined) {
      if (difference !== undefined && policy === 'refuse') {
        const isInReply = difference >= before!.promptTokens.length;
        return {
          refusal:
            `the prompt of turn ${turn + 1} does not begin with turn ${turn} (they differ at token ${difference}): ` +
            (isInReply
              ? 'the server encoded the reply anew and got other tokens than it had sampled'
              : 'the chat template rewrites history; switch thinking off if it can be') +
            '. With env.history_policy split each turn is a sequence of its own',
        };
      }
      runs.push([{ turn, completion }]);
    } else {
      run.push({ turn, completion });
    }
  }
  return { sequences: runs.map(toSequence), wasSplit: runs.length > 1 };
}

/** The first token at which the next prompt is not what was seen and said before; undefined when it goes on from there. */
export function findDifference({ promptTokens, tokens }: Completion, next: Int32Array): number | undefined {
  const length = promptTokens.length + tokens.length;
  for (let index = 0; index < length; index += 1) {
    const token = index < promptTokens.length ? promptTokens[index] : tokens[index - promptTokens.length];
    if (next[index] !== token) return index;
  }
  return undefined;
}

interface Turn {
  readonly turn: number;
  readonly completion: Completion;
}

function toSequence(turns: readonly Turn[]): Sequence {
  const last = turns.at(-1)!.completion;
  const length = last.promptTokens.length + last.tokens.length;
  const tokens = new Int32Array(length);
  tokens.set(last.promptTokens);
  tokens.set(last.tokens, last.promptTokens.length);
  const isSampled = new Uint8Array(length);
  const logprobs = new Float32Array(length).fill(NOT_SAMPLED);
  const policyRanges: PolicyRange[] = [];
  const turnRanges: [number, number, number][] = [];
  for (const { turn: index, completion: turn } of turns) {
    const start = turn.promptTokens.length;
    const end = start + turn.tokens.length;
    if (turn.isMasked === true) continue;
    isSampled.fill(1, start, end);
    turnRanges.push([start, end, index]);
    logprobs.set(turn.logprobs, start);
    for (const [from, to, version] of rangesOf(turn)) policyRanges.push([start + from, start + to, version]);
  }
  return { tokens, isSampled, logprobs, policyRanges, turnRanges };
}

function rangesOf({ policyRanges, policyVersion, tokens }: Completion): readonly PolicyRange[] {
  if (policyRanges !== undefined) return policyRanges.filter(([from, to]) => to > from);
  return policyVersion === undefined || tokens.length === 0 ? [] : [[0, tokens.length, policyVersion]];
}
