import { createToolCallParser } from '@lachesis/sdk/render';

import type { CallCorpus, CorpusCase } from '../render/call-corpus/corpus.ts';
import { type Compared, type Disagreement, disagreements } from './disagreements.ts';
import { listCalls, readReply } from './read-reply.ts';
import { type VllmAnswer, type VllmAnswers, digestReply, toAsked } from './vllm-answers.ts';

export interface Comparison {
  readonly sameGood: number;
  /** Good replies that differ for a reason that is declared. */
  readonly declared: readonly Disagreement[];
  readonly sameBroken: number;
  /** Broken replies that vLLM gives up as a whole, and in which the calls beside the broken one are calls here. */
  readonly readOn: number;
  /** Broken replies of which vLLM makes calls that are refused here. */
  readonly refused: number;
  /** What differs without a declared reason, or was never asked. */
  readonly failures: readonly string[];
}

/** The beginning of the next call, in the arguments of the one before that was never closed. */
const SWALLOWED = /\{.*<tool_call>|tool▁call▁begin/;

export function compareVllm(corpus: CallCorpus, recorded: VllmAnswers): Comparison {
  const declared: Disagreement[] = [];
  const failures: string[] = [];
  const counts = { sameGood: 0, sameBroken: 0, readOn: 0, refused: 0 };
  const compare = (corpusCase: CorpusCase): Compared | undefined => {
    const answer = recorded.answers[corpus.format]?.[digestReply(corpusCase.text)];
    if (answer === undefined) {
      failures.push(
        `${corpus.format} ${JSON.stringify(corpusCase.text)}: vLLM was not asked; record its answers again`,
      );
      return undefined;
    }
    const { text, tools } = toAsked(corpusCase);
    const calls = listCalls(
      readReply({ createParser: createToolCallParser, format: corpus.format, pieces: [text], tools }),
    );
    const ours = calls.map((call) => `${call.name} ${squeezeJson(call.argumentsText)}`);
    return { format: corpus.format, text, ours, theirs: listTheirs(answer) };
  };
  const fail = ({ text, ours, theirs }: Compared): void => {
    failures.push(`${corpus.format} ${JSON.stringify(text)}: ours ${ours.join(' | ')}; vLLM ${theirs.join(' | ')}`);
  };

  for (const corpusCase of corpus.good) {
    const compared = compare(corpusCase);
    if (compared === undefined) continue;
    const reason = disagreements.find(({ isMeant }) => isMeant(compared));
    if (isSame(compared)) counts.sameGood += 1;
    else if (reason === undefined) fail(compared);
    else declared.push(reason);
  }
  for (const corpusCase of corpus.broken) {
    const compared = compare(corpusCase);
    if (compared === undefined) continue;
    const { ours, theirs } = compared;
    if (isSame(compared)) counts.sameBroken += 1;
    else if (theirs.length === 0) counts.readOn += 1;
    else if (ours.every((call) => theirs.includes(call))) counts.refused += 1;
    else if (theirs.some((call) => SWALLOWED.test(call))) counts.refused += 1;
    else fail(compared);
  }
  return { ...counts, declared, failures };
}

const isSame = ({ ours, theirs }: Compared): boolean => JSON.stringify(ours) === JSON.stringify(theirs);

const listTheirs = (answer: VllmAnswer): readonly string[] =>
  typeof answer === 'string' ? [] : answer.map(([name, args]) => `${name} ${squeezeJson(args)}`);

function squeezeJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
