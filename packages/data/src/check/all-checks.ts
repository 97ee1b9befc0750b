import type { Check } from './check.ts';
import {
  emptyReplyCheck,
  interruptedCheck,
  roleOrderCheck,
  unpairedCallCheck,
  unparsedCallCheck,
} from './checks-of-dialogues.ts';
import { duplicateCheck, equalPairCheck, heldOutCheck, prefixBreakCheck } from './checks-of-sets.ts';
import {
  absurdLogprobsCheck,
  droppedToolsCheck,
  maskCoverageCheck,
  missingLogprobsCheck,
  mixedModelsCheck,
  overContextCheck,
} from './checks-of-tokens.ts';

/** Every check, in the order of the report. */
export const allChecks: readonly Check[] = Object.freeze([
  prefixBreakCheck,
  missingLogprobsCheck,
  maskCoverageCheck,
  unparsedCallCheck,
  duplicateCheck,
  heldOutCheck,
  overContextCheck,
  emptyReplyCheck,
  unpairedCallCheck,
  interruptedCheck,
  roleOrderCheck,
  mixedModelsCheck,
  absurdLogprobsCheck,
  equalPairCheck,
  droppedToolsCheck,
]);
