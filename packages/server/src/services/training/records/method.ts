import type { DataRecord } from '@lachesis/protocol';
import type { Tokenizer } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';
import type { EngineModel } from '../engine/engine.ts';

/** The methods that learn from the rows of a data set. */
export type RecordMethodName = 'dpo' | 'kto' | 'reward' | 'sft';

/** A model in an engine, as far as a method uses it. `TrainingClient` of @lachesis/tinker is one. */
export type RecordModel = EngineModel;

/**
 * What a record became: the unit of a batch. All sequences of an example are in the same step: one for a conversation, two
 * for a pair (the chosen one first).
 */
export interface RecordExample {
  /** Of the record; the order of an epoch goes by the place of a record in its data set. */
  readonly id: string;
  /** `inputs.target_tokens` and `inputs.weights` are set; a weight is 0 where nothing is learnt. */
  readonly datums: readonly Datum[];
  /** Log probabilities of the targets under the frozen start weights, one array a datum; for methods that ask for them. */
  readonly reference?: readonly Float32Array[] | undefined;
  /** What the method itself wants to know of it, such as `{ label: 'undesirable' }`. */
  readonly facts?: Readonly<Record<string, number | string>> | undefined;
}

/** A record that cannot be learnt from. It is counted and told; nothing is made up for it. */
export interface SkippedRecord {
  readonly skipped: string;
}

/** What a method gets to make examples with. */
export interface ExampleContext {
  readonly tokenizer: Tokenizer;
  /** Longer sequences are skipped, never cut. */
  readonly maxTokens: number;
}

/** A pass whose gradients are with the engine once it resolves. */
export interface RecordPass {
  /** Under the names people know: `train/mean_nll`, `dpo/accuracy`. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** What a part of the evaluation split gave. The parts are put together as means, each by its weight. */
export interface RecordMeasurement {
  /** Such as `eval/mean_nll`, `eval/accuracy`. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Tokens where a number is a mean over tokens, else examples. */
  readonly weight: number;
}

/**
 * How one step learns from examples. A method makes gradients and numbers and nothing else: the order of the rows, the
 * ledger, the optimiser, checkpoints, sinks, the registry and lineage are the pipeline's.
 */
export interface RecordMethod {
  readonly name: RecordMethodName;
  /** Whether examples need the log probabilities of the frozen start weights. They are computed once and cached. */
  readonly needsReference: boolean;
  /** Turns a record into an example. Pure: the same record gives the same example in every process. */
  toExample(record: DataRecord, context: ExampleContext): Promise<RecordExample | SkippedRecord>;
  /**
   * Examples that are made of several records, such as mismatched answers; called once with all of a split, in order. The
   * same in, the same out. Absent: examples stay as they are.
   */
  arrange?(examples: readonly RecordExample[]): readonly RecordExample[];
  /** Adds the gradients of a batch to the model. One optimiser step follows. */
  pass(model: RecordModel, batch: readonly RecordExample[]): Promise<RecordPass>;
  /** Measures examples that are not trained on; no gradient. */
  evaluate(model: RecordModel, batch: readonly RecordExample[]): Promise<RecordMeasurement>;
  /** Numbers that follow from the means over all examples and not from those of a part; they are added to them. */
  summarise?(means: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
}
