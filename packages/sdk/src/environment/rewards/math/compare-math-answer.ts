import { type CompareNodesOptions, isSameNode } from './compare-nodes.ts';
import { findAnswer } from './find-answer.ts';
import { normaliseLatex } from './normalise-latex.ts';
import { parseLatex } from './parse-latex.ts';

export interface MathAnswerOptions extends Partial<CompareNodesOptions> {
  /** What was asked for: LaTeX, with or without dollar signs or a box, or a plain number. */
  readonly expected: string;
  /** The whole reply, or an answer alone. */
  readonly reply: string;
}

/** What was found and how it compares; `answer` is undefined when the reply has nothing that could be one. */
export interface MathVerdict {
  readonly isSame: boolean;
  readonly expected: string;
  readonly answer: string | undefined;
}

/** Six places, as other graders have it: 0.333333 is a third, 0.3333 is not. */
const DEFAULT_DECIMALS = 6;

/** Finds the answer of a reply and says whether it is what was expected. It never throws on what a model wrote. */
export function compareMathAnswer(options: MathAnswerOptions): MathVerdict {
  const { decimals = DEFAULT_DECIMALS, acceptRelationForSet = false } = options;
  const expected = normaliseLatex(findAnswer(options.expected) ?? options.expected);
  const found = findAnswer(options.reply);
  if (found === undefined) return { isSame: false, expected, answer: undefined };
  const answer = normaliseLatex(found);
  if (answer === expected && expected !== '') return { isSame: true, expected, answer };
  const [left, right] = [parseLatex(expected), parseLatex(answer)];
  const isSame =
    left !== undefined && right !== undefined && isSameNode(left, right, { decimals, acceptRelationForSet });
  return { isSame, expected, answer };
}
