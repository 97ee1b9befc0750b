import type { Datum } from '../codec/datum.ts';
import { checkLogprobs } from './check-logprobs.ts';
import type { CustomLoss } from './custom-loss.ts';
import { createTape } from './tape.ts';
import type { Tape, TapeValue } from './tape.ts';

export interface TapeLossInput {
  readonly tape: Tape;
  /** The learner's logprobs as variables of the tape, one per datum. */
  readonly logprobs: readonly TapeValue[];
  readonly datums: readonly Datum[];
}

export interface TapeLossOutput {
  /** The scalar to be made small. */
  readonly loss: TapeValue;
  readonly metrics?: Readonly<Record<string, number>>;
}

/** A custom loss from an expression: write the forward direction, the tape gives the gradients. */
export function createTapeLoss(build: (input: TapeLossInput) => TapeLossOutput): CustomLoss {
  return ({ logprobs, datums }) => {
    checkLogprobs({ loss: 'tape', what: 'logprobs', arrays: logprobs, datums });
    const tape = createTape();
    const variables = logprobs.map((values) => tape.variable(values));
    const { loss, metrics = {} } = build({ tape, logprobs: variables, datums });
    return { gradients: tape.gradients(loss, variables), loss: loss.values[0]!, metrics };
  };
}
