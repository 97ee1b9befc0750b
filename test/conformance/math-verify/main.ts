/**
 * Asks the real math_verify for its verdicts again: `node --conditions=lachesis-source main.ts`. Run it when the pairs or the
 * pinned version change, and read the difference before you commit it.
 */
import { findMathVerifyPython, runMathVerify } from '../../peers/math-verify/run-math-verify.ts';
import { makePairs } from './make-pairs.ts';
import { writeVerdicts } from './verdicts.ts';

const python = findMathVerifyPython();
if (python === undefined) throw new Error('LACHESIS_MATH_VERIFY_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');

const pairs = makePairs();
const answers = await runMathVerify(python, pairs);
await writeVerdicts(pairs.map((pair, index) => ({ ...pair, same: answers[index] === true })));
console.log(`${pairs.length} pairs, ${answers.filter(Boolean).length} the same`);
