import type { DataRecord } from '@lachesis/protocol';

/** What can be wrong with rows that are meant for training. */
export const DEFECT_CLASSES = Object.freeze([
  'prefix-break',
  'missing-logprobs',
  'mask-coverage',
  'unparsed-call',
  'duplicate',
  'held-out',
  'over-context',
  'empty-reply',
  'unpaired-call',
  'interrupted',
  'role-order',
  'mixed-models',
  'absurd-logprobs',
  'equal-pair',
  'dropped-tools',
] as const);

export type DefectClass = (typeof DEFECT_CLASSES)[number];

/** `error`: training on the row is wrong or fails. `warning`: it works, and does something other than people expect. */
export type Severity = 'error' | 'warning';

export interface RowFinding {
  /** From 0, in the order the rows came. */
  row: number;
  id: string;
  detail: string;
}

/** What a check looks at: one row, with what is worked out once for all checks. */
export interface CheckedRow {
  readonly index: number;
  readonly record: DataRecord;
  readonly digests: { readonly whole: string; readonly prompt: string };
  /** Tokens of the row: counted where it has them, else as the caller's counter says. */
  readonly length: { readonly tokens: number; readonly isEstimate: boolean };
  /** The name of the held-out set it is in. */
  readonly heldOut: string | undefined;
}

export interface CheckOptions {
  /** The longest row the trainer takes, in tokens. */
  readonly contextTokens: number;
  /** What the model's chat template leaves out, and the template's name; absent while no tokenizer was named. */
  readonly template?: { readonly drops: readonly ('tool_calls' | 'tools')[]; readonly place: string } | undefined;
}

/** One way of looking. A check is started for each report, so that it may remember rows. */
export interface Check {
  readonly name: DefectClass;
  readonly severity: Severity;
  /** What is wrong, in one sentence about all the rows it names. */
  readonly what: string;
  /** What to do. */
  readonly fix: string;
  start(options: CheckOptions): {
    see(row: CheckedRow): readonly string[];
    /** What can be said after the last row alone. */
    end?(): readonly RowFinding[];
  };
}
